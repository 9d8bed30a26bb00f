//! The table that CuTe's `print_layout` prints, with its layout in the first line.
//!
//! Law: the answer is the layout of the first line, and each cell of the table is what it gives there; a table that differs is
//! refused with the first cell that does.

use super::answer::Answer;
use super::value::Value;
use bitstride::cute::print_layout;
use bitstride::notation::Span;
use bitstride::{Code, Error, error};

/// What evaluates an expression.
type Evaluate = fn(&str) -> Result<Answer, Error>;

/// A repair is written for tables of at most this many cells.
const MOST_WRITTEN: usize = 64;

/// The first line of such a text, and the table behind it.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let (layout, table) = text.split_once('\n')?;
    let (columns, rows) = table.trim_start_matches('\n').split_once('\n')?;
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let is_table = columns.split_whitespace().all(is_number) && rows.trim_start().starts_with("+-");
    (is_table && !layout.trim().is_empty()).then_some((layout, table))
}

/// The answer to the first line, where the table agrees with it.
///
/// # Errors
/// What is no layout of a table, and the first difference.
pub(super) fn checked(mut answer: Answer, table: &str, evaluate: Evaluate) -> Result<Answer, Error> {
    let layout = answer.value.as_function()?;
    let printed = print_layout(&layout)?;
    let expected = rows(printed.split_once('\n').map_or("", |(_, table)| table));
    let found = rows(table);
    let count = |rows: &[Vec<(&str, usize)>]| (rows.len(), rows.first().map_or(0, Vec::len));
    for (row, (found_row, expected_row)) in found.iter().zip(&expected).enumerate() {
        for (column, ((cell, at), (right, _))) in found_row.iter().zip(expected_row).enumerate() {
            if cell != right {
                let error = error!(
                    Code::NotALayout,
                    "row {row}, column {column} is {cell} in the table, and {right} in the layout before it",
                    [row, column, cell = *cell, right = *right]
                );
                return Err(repaired(error.with_span(Span::new(*at, at.saturating_add(cell.len()))), &found, evaluate));
            }
        }
    }
    let is_box = found.iter().all(|row| row.len() == count(&expected).1);
    if found.len() != expected.len() || !is_box {
        let ([rows, columns], [wide, high]) = ([found.len(), count(&found).1], [count(&expected).1, expected.len()]);
        let error = error!(
            Code::NotALayout,
            "the table has {rows} rows of {columns} cells, the layout before it {high} of {wide}",
            [rows, columns, high, wide]
        );
        return Err(repaired(error, &found, evaluate));
    }
    let cells = found.len().saturating_mul(count(&expected).1);
    answer.notes.push(format!("the table agrees in all {cells} cells"));
    Ok(answer)
}

/// The cells of each row, with their places in the table.
fn rows(table: &str) -> Vec<Vec<(&str, usize)>> {
    let mut all = Vec::new();
    let mut start = 0_usize;
    for line in table.split('\n') {
        let mut at = start;
        let mut cells = Vec::new();
        for part in line.split('|') {
            let indent = part.len().saturating_sub(part.trim_start().len());
            cells.push((part.trim(), at.saturating_add(indent)));
            at = at.saturating_add(part.len()).saturating_add(1);
        }
        start = start.saturating_add(line.len()).saturating_add(1);
        // Before the first bar is the number of the row, behind the last nothing.
        if cells.len() > 2 {
            cells.pop();
            all.push(cells.split_off(1));
        }
    }
    all
}

/// Which layout the table is of, where it is one.
fn repaired(error: Error, found: &[Vec<(&str, usize)>], evaluate: Evaluate) -> Error {
    let columns = found.first().map_or(0, Vec::len);
    let is_box = found.iter().all(|row| row.len() == columns);
    if !is_box || found.len().saturating_mul(columns) > MOST_WRITTEN {
        return error;
    }
    let by_column = (0..columns).flat_map(|column| found.iter().filter_map(move |row| row.get(column)));
    let cells: Vec<&str> = by_column.map(|(cell, _)| *cell).collect();
    let fitted = evaluate(&format!("fit(({}), ({},{columns}))", cells.join(","), found.len()));
    // What fits may go on behind the last row.
    let is_whole = |value: &Value| {
        let printed = value.as_function().and_then(|layout| print_layout(&layout)).unwrap_or_default();
        let texts = |rows: &[Vec<(&str, usize)>]| rows.concat().iter().map(|(cell, _)| (*cell).to_owned()).collect();
        let (own, wanted): (Vec<String>, Vec<String>) = (texts(&rows(&printed)), texts(found));
        own == wanted
    };
    match fitted {
        Ok(answer) if is_whole(&answer.value) => error.with_help(format!("the table is of {}", answer.value)),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use crate::evaluate;

    #[test]
    fn a_printed_table_agrees_with_its_layout_or_is_refused() {
        let mut repaired = 0;
        for layout in
            ["(2,3):(3,1)", "((2,2),3):((1,20),3)", "Sw<1,0,1> o 0 o (2,2):(2,1)", "4:1", "(3,1):(5,7)", "(1,2):(0,4)"]
        {
            let printed = evaluate(&format!("print_layout({layout})")).expect(layout).value.to_string();
            let answer = evaluate(&printed).expect(layout);
            assert_eq!(Ok(answer.value), evaluate(layout).map(|answer| answer.value), "{layout}");
            assert!(answer.notes.iter().any(|note| note.contains("the table agrees")), "{layout}");
            // Any other cell is found.
            for (at, c) in printed.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
                let line = printed[..at].lines().count();
                let row = printed.lines().nth(line - 1).expect("a line");
                let in_line = at - printed[..at].rfind('\n').map_or(0, |end| end + 1);
                if line < 3 || !row.starts_with([' ', '0', '1', '2', '3']) || row[..in_line].find('|').is_none() {
                    continue;
                }
                let other = if c == '9' { '8' } else { '9' };
                let mut wrong = printed.clone();
                wrong.replace_range(at..=at, &other.to_string());
                let error = evaluate(&wrong).expect_err(&wrong);
                let span = error.span().expect("a place");
                assert!((span.start..span.end).contains(&at), "{wrong}: {error}");
                if let Some(help) = error.help() {
                    let meant = help.strip_prefix("the table is of ").expect("a layout");
                    let table = evaluate(&format!("print_layout({meant})")).expect(meant).value.to_string();
                    let cells = |text: &str| {
                        super::rows(text).concat().into_iter().map(|(cell, _)| cell.to_owned()).collect::<Vec<_>>()
                    };
                    assert_eq!(cells(&table), cells(&wrong), "{wrong}: {help}");
                    repaired += 1;
                }
            }
        }
        assert!(repaired > 0);
        let short = "(2,3):(3,1)\n      0   1 \n    +---+---+\n 0  | 0 | 1 |\n    +---+---+\n";
        let error = evaluate(short).expect_err("a part of the table");
        assert!(error.message().contains("1 rows of 2 cells, the layout before it 2 of 3"), "{error}");
    }
}
