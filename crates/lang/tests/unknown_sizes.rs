//! Chains of tensor methods in which sizes are not known: with numbers in their places, the answer is that to the chain of numbers.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride_lang::evaluate;

fn said(text: &str) -> String {
    evaluate(text)
        .map_or_else(|error| format!("{}: {}", error.code().as_str(), error.message()), |a| a.value.to_string())
}

#[test]
fn answers_have_the_names_of_sizes() {
    for (text, answer) in [
        ("torch.empty(B, 64, D)", "(B,64,D):(64*D,D,1)"),
        ("torch.empty(B, 64, D).permute(0, 2, 1)", "(B,D,64):(64*D,1,D)"),
        ("torch.empty(B, 64, D).permute(0, 2, 1).shape", "(B,D,64)"),
        ("torch.empty(B, 64, D).permute(0, 2, 1).stride()", "(64*D,1,D)"),
        ("torch.empty(B, N, 64).view(B, N, 8, 8).transpose(1, 2)", "(B,8,N,8):(64*N,8,64,1)"),
        ("torch.empty(B, N, 64).view(-1, 64)", "(B*N,64):(64,1)"),
        ("torch.empty(B, N, 64).view(B*N, 64)", "(B*N,64):(64,1)"),
        ("torch.empty(B, N).T", "(N,B):(1,N)"),
        ("x[B,64,N].flatten(1)", "(B,64*N):(64*N,1)"),
        ("np.zeros((B, 64, D)).transpose(0, 2, 1)", "(B,D,64):(64*D,1,D)"),
        ("torch.empty(B, 1, D).expand(B, 4, D)", "(B,4,D):(D,0,1)"),
        ("rearrange(torch.empty(B, 64, N), 'b (h d) n -> b h n d', h=8)", "(B,8,N,8):(64*N,8*N,1,N)"),
        ("rearrange('b (h d) n -> b h n d', h=8)", "(B,8,N,D):(8*D*N,D*N,1,N)"),
        ("einops.rearrange('b h d -> h b d', b=B, h=8, d=64)", "(8,B,64):(64,512,1)"),
        ("torch.empty(B, 64, 32).permute(0, 2, 1).reshape(B, 2048).shape", "(B,2048)"),
        ("torch.empty_strided((B, 64), (64, 1)).t()", "(64,B):(1,64)"),
        ("torch.empty(4, 64).view(4, 64).shape", "(4,64)"),
    ] {
        assert_eq!(said(text), answer, "{text}");
    }
}

#[test]
fn what_depends_on_a_size_is_refused_with_its_name() {
    for (text, word) in [
        ("torch.empty(B, 64).view(-1, 3)", "64*B elements cannot be (-1,3)"),
        ("torch.empty(B, 64, 32).permute(0, 2, 1).reshape(B, 2048)", "the size B is not known"),
        ("torch.empty(B, 64, D).permute(0, 2, 1).view(B, 64*D)", "sizes (B,D,64) with strides (64*D,1,D)"),
        ("torch.empty(B, N, 4).squeeze()", "the sizes B and N are not known"),
        ("torch.empty(4, N, 4).squeeze(1)", "the size N is not known"),
        ("torch.empty(B, 64)[3]", "the size B is not known"),
        ("torch.empty(B, 64).view(N, 64)", "64*B elements cannot be (N,64)"),
    ] {
        let error = evaluate(text).map(|answer| panic!("{text}: {}", answer.value)).unwrap_or_else(|error| error);
        assert_eq!(error.code(), Code::MissingFact, "{text}: {error}");
        assert!(error.message().contains(word), "{text}: {error}");
    }
    assert!(said("rearrange('(a b) n -> a b n')").contains("the sizes of two axes of `(a b)` are missing"));
    let lower = evaluate("torch.empty(b, 64)").expect_err("a name that is no unknown");
    assert!(lower.help().is_some_and(|help| help.contains("capital letter")), "{lower}");
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 8).unwrap_or(0) % end
    }
}

/// A chain on sizes of which some are `{B}`, `{N}` or `{D}`.
fn chain(random: &mut Random) -> String {
    const SIZES: [&str; 8] = ["{B}", "{N}", "{D}", "8", "4", "6", "{B}", "1"];
    let mut rank = 2 + random.below(3);
    let sizes: Vec<&str> = (0..rank).map(|_| SIZES[random.below(SIZES.len())]).collect();
    let mut text = format!("torch.empty({})", sizes.join(", "));
    for _ in 0..1 + random.below(4) {
        let (a, b) = (random.below(rank), random.below(rank));
        text += &match random.below(8) {
            0 => {
                let mut order: Vec<String> = (0..rank).map(|dim| dim.to_string()).collect();
                order.rotate_left(a);
                order.swap(0, b);
                format!(".permute({})", order.join(", "))
            }
            1 => format!(".swapdims({a}, {b})"),
            2 => {
                rank += 1;
                format!(".unsqueeze({a})")
            }
            3 => {
                let (from, to) = (a.min(b), a.max(b));
                rank -= to - from;
                format!(".flatten({from}, {to})")
            }
            4 => {
                rank += 1;
                format!(".unflatten({a}, (2, -1))")
            }
            5 => ".contiguous()".to_owned(),
            6 => {
                rank = 1;
                ".view(-1)".to_owned()
            }
            _ => {
                rank += 1;
                format!(".unflatten({a}, (-1, {{D}}))")
            }
        };
    }
    text
}

fn with(text: &str, sizes: [&str; 3]) -> String {
    ["{B}", "{N}", "{D}"].iter().zip(sizes).fold(text.to_owned(), |text, (name, size)| text.replace(name, size))
}

#[test]
fn with_numbers_it_is_the_chain_of_numbers() {
    let mut random = Random(0x3c6e_f372);
    let mut answered = 0;
    for _ in 0..1500 {
        let chain = chain(&mut random);
        if !chain.contains('{') {
            continue;
        }
        let unknown = with(&chain, ["B", "N", "D"]);
        let asks = [("", ".shape"), (".shape", ".shape"), (".stride()", ".stride()")];
        for (ask, again) in asks {
            let answer = match evaluate(&format!("{unknown}{ask}")) {
                Ok(answer) => answer.value.to_string(),
                Err(error) => {
                    let is_known = [Code::MissingFact, Code::NotBitcast, Code::NotDivisible].contains(&error.code());
                    assert!(is_known, "{unknown}{ask}: {error}");
                    continue;
                }
            };
            for sizes in [["5", "7", "3"], ["2", "3", "4"], ["101", "103", "107"]] {
                let numbers = with(&chain, sizes);
                let wanted = match ask {
                    "" => format!("{}:{}", said(&format!("{numbers}.shape")), said(&format!("{numbers}.stride()"))),
                    _ => said(&format!("{numbers}{again}")),
                };
                let placed = ["B", "N", "D"]
                    .iter()
                    .zip(sizes)
                    .fold(answer.clone(), |text, (name, size)| text.replace(name, size));
                assert_eq!(said(&placed), said(&wanted), "{unknown}{ask} is {answer}; {numbers}");
                answered += 1;
            }
            // Of a dim of size 1 the stride means nothing: the elements lie at the same places.
            for sizes in [["1", "2", "3"], ["4", "1", "1"]] {
                let numbers = with(&chain, sizes);
                let placed = ["B", "N", "D"]
                    .iter()
                    .zip(sizes)
                    .fold(answer.clone(), |text, (name, size)| text.replace(name, size));
                let wanted = match ask {
                    "" => format!("{}:{}", said(&format!("{numbers}.shape")), said(&format!("{numbers}.stride()"))),
                    ".shape" => said(&format!("{numbers}.shape")),
                    _ => continue,
                };
                let is_same = if ask.is_empty() {
                    said(&format!("same({placed}, {wanted})"))
                } else {
                    (said(&placed) == wanted).to_string()
                };
                assert!(is_same == "same" || is_same == "true", "{unknown}{ask} is {answer}; {numbers}: {is_same}");
            }
        }
    }
    assert!(answered > 3000, "{answered}");
}
