//! temp
fn main() {
    if std::env::args().len() == 1 {
        for o in bitstride::calc::operations() {
            let x = bitstride::explain::explain(o.example).unwrap();
            let n = x.steps().count();
            let l = x.steps().last().unwrap();
            println!("{:<60} {n} {}", o.example, &l.rule);
        }
    }
    for e in std::env::args().skip(1) {
        match bitstride::explain::explain(&e) {
            Ok(x) => println!("{x}\n{}", "=".repeat(60)),
            Err(e) => println!("{e:?}"),
        }
    }
}
