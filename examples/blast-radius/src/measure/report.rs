//! Puts what was found about all the commands of a line into one question.

use super::phrase::{command, number};
use super::survey::{Finding, Survey};
use crate::analyse::Danger;

/// Dangers that are measured; what comes after them is only named, so that a long line is answered in time.
const MOST_MEASURED: usize = 5;
/// Lines below the title.
const MOST_LINES: usize = 12;
/// Characters of a title; a host takes no more than 400.
const LONGEST_TITLE: usize = 300;

impl Survey<'_> {
    /// Returns what a person is asked about a command; `None` if it would lose nothing.
    pub fn report(&self, dangers: &[Danger]) -> Option<Finding> {
        let (measured, rest) = dangers.split_at(dangers.len().min(MOST_MEASURED));
        let mut findings: Vec<Finding> = measured.iter().flat_map(|danger| self.measure(danger)).collect();
        let mut finding = match findings.len() {
            0 if rest.is_empty() => return None,
            1 if rest.is_empty() => findings.remove(0),
            several => {
                let all = several + rest.len();
                let title = format!("this line holds {} commands that can lose work", number(all as u64));
                let each =
                    MOST_LINES.saturating_sub(several + usize::from(!rest.is_empty())) / several.max(1);
                let mut details = Vec::new();
                for finding in findings {
                    details.push(finding.title);
                    details.extend(finding.details.iter().take(each).map(|line| format!("  {line}")));
                }
                let named: Vec<String> = rest.iter().take(3).map(|danger| command(&danger.command)).collect();
                if !named.is_empty() {
                    let more = if rest.len() > named.len() { " and more" } else { "" };
                    details.push(format!("not measured, for there are too many: {}{more}", named.join(", ")));
                }
                Finding { title, details }
            }
        };
        if finding.title.chars().count() > LONGEST_TITLE {
            finding.title = finding.title.chars().take(LONGEST_TITLE - 1).chain(['…']).collect();
        }
        Some(finding)
    }
}
