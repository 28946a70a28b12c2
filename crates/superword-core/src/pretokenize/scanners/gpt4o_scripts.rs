//! `gpt4o-scripts`: `gpt4o` on each run of one script, and single letters in scripts without spaces.
//!
//! A text is split where its script changes. Most combining marks have the script of the last
//! character before them that has one. Punctuation, digits, spaces and what else has no script
//! belong to the run of the next character that has one, and at the end of the text to the last run.
//! In Han, Hiragana, Katakana, Khmer, Lao, Myanmar and Thai, a run is split with `UNSPACED_REGEX`; in
//! all other scripts with the regex of `gpt4o`. So do the authors' models of 2026 that are trained by
//! script.

use std::cell::OnceCell;
use std::ops::RangeInclusive;

use crate::pretokenize::scanners::gpt4o::{
    Gpt4o, ScriptMasks, find_starts_by_script, match_other_than_word,
};
use crate::pretokenize::scanners::scan::{Grammar, skip_blank};
use crate::pretokenize::simd::block::{Block, Starts};
use crate::pretokenize::unicode::class::{
    CONTROL, ClassSet, LETTER, MARK, NEWLINE, NUMBER, PUNCT, Text, WHITE, decode,
};
use crate::pretokenize::unicode::script::Script;

/// The name of this pattern, which no single regex is equivalent to.
pub const SCRIPT_PATTERN: &str = "gpt4o-scripts";

/// The scripts without spaces, in alphabetical order.
pub const UNSPACED_SCRIPTS: [&str; 7] =
    ["Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai"];

/// The regex for runs in scripts without spaces.
pub const UNSPACED_REGEX: &str =
    r" ?\p{L}\p{M}*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The grammar of this pattern. It remembers what it has looked for, so that its time is linear.
#[derive(Default)]
pub(crate) struct Gpt4oScripts {
    /// The last weak characters that were skipped, and the character after them.
    weak: Option<RangeInclusive<usize>>,
    /// The last script before an offset.
    last_script: Option<Script>,
    last_script_end: usize,
    /// The first script of the text, once it was looked for.
    first_script: OnceCell<Option<Script>>,
}

/// The bytes in which the end of a pretoken is looked for first.
const FIRST_WINDOW: usize = 64;

/// Whether a letter or a mark is at `at`.
fn is_in_word(text: &Text, at: usize) -> bool {
    let (class, _) = text.peek(at);
    class == MARK || LETTER.contains(class)
}

/// Matches ` ?\p{L}\p{M}*`.
fn match_letter(text: &Text, at: usize) -> Option<usize> {
    let (class, end) = text.peek(skip_blank(text, at));
    LETTER.contains(class).then(|| text.skip_run(end, ClassSet::of(&[MARK])))
}

impl Gpt4oScripts {
    /// Finds the first character from `at` on that is not weak; the end of the text if there is none.
    fn find_not_weak(&mut self, text: &Text, at: usize) -> usize {
        match &self.weak {
            Some(weak) if weak.contains(&at) => *weak.end(),
            _ => {
                let end = text.find_not_weak(at);
                self.weak = Some(at..=end);
                end
            }
        }
    }

    /// Returns the last script before `at`.
    fn find_script_before(&mut self, text: &Text, at: usize) -> Option<Script> {
        self.last_script = text.find_last_script(self.last_script_end, at).or(self.last_script);
        self.last_script_end = at;
        self.last_script
    }

    /// Returns the script of the run that the character at `at` belongs to; `None` if the text has no
    /// script.
    fn find_script(&mut self, text: &Text, at: usize) -> Option<Script> {
        let not_weak = self.find_not_weak(text, at);
        let (script, _) = text.peek_script(not_weak);
        if script.is_strong() {
            return Some(script);
        }
        let before = self.find_script_before(text, at);
        before.or_else(|| *self.first_script.get_or_init(|| text.find_first_script(at)))
    }

    /// Whether the text at `at` is in a run that is split into letters. Only words tell.
    fn is_unspaced(&mut self, text: &Text, at: usize) -> bool {
        let (class, next) = text.peek(at);
        let is_word = match class {
            NUMBER | NEWLINE => false,
            _ => is_in_word(text, at) || is_in_word(text, next),
        };
        is_word && self.find_script(text, at).is_some_and(Script::is_unspaced)
    }

    /// Finds the first change of script after `start` and before `end`.
    fn find_change(&mut self, text: &Text, start: usize, end: usize) -> Option<usize> {
        if text.bytes[start..end].is_ascii() {
            return None;
        }
        let mut current = None;
        let mut at = start;
        while at < end {
            let (script, next) = text.peek_script(at);
            if script.is_strong() {
                if current.is_some_and(|current| current != script) {
                    return Some(at);
                }
                current = Some(script);
            } else if script == Script::INHERITED {
                current = current.or_else(|| self.find_script_before(text, start));
            } else if let Some(current) = current {
                let found = self.find_not_weak(text, at);
                let (script, _) = text.peek_script(found);
                if script.is_strong() && script != current {
                    return Some(at);
                }
            }
            at = next;
        }
        None
    }
}

/// Matches the regex of a run, which goes on to the end of the text.
fn find_end_in_run(text: &Text, at: usize, is_unspaced: bool) -> usize {
    if is_unspaced {
        match_letter(text, at).unwrap_or_else(|| match_other_than_word(text, at))
    } else {
        Gpt4o.find_end(text, at)
    }
}

/// Returns how far scripts decide on a pretoken. White space that has a script may end a run, and then
/// none of it is left to what follows.
fn find_reach(text: &Text, end: usize) -> usize {
    let is_wide = text.bytes.get(end).is_some_and(|byte| *byte >= 128);
    if is_wide && text.is_in(end, ClassSet::of(&[WHITE])) {
        text.peek(text.peek(end).1).1
    } else {
        end
    }
}

impl Grammar for Gpt4oScripts {
    fn find_end(&mut self, text: &Text, at: usize) -> usize {
        let window = text.before(text.find_boundary(at + FIRST_WINDOW));
        if window.bytes[at..].is_ascii() {
            // All letters are Latin.
            let end = Gpt4o.find_end(&window, at);
            if !window.is_end_read() {
                return end;
            }
        }
        let is_unspaced = self.is_unspaced(text, at);
        // The window grows only while the pretoken reaches its end, so that what is read is not much
        // longer than the pretoken.
        let mut width = FIRST_WINDOW;
        loop {
            let window = text.before(text.find_boundary(at + width));
            let text_read = if window.bytes.len() < text.bytes.len() { &window } else { text };
            let end = find_end_in_run(text_read, at, is_unspaced);
            if let Some(change) = self.find_change(text, at, find_reach(text_read, end)) {
                return find_end_in_run(&text.before(change), at, is_unspaced);
            }
            if !window.is_end_read() {
                return end;
            }
            width *= 2;
        }
    }

    /// As far as in `gpt4o`, but no further than a character that may belong to another run.
    fn find_joined_end(text: &Text, start: usize) -> usize {
        let end = Gpt4o::find_joined_end(text, start);
        let first = skip_blank(text, start);
        let mut current: Option<Script> = None;
        let mut at = start;
        while at < end {
            let (script, next) = text.peek_script(at);
            let goes_on = if script.is_strong() {
                let starts_pretoken = script.is_unspaced() && at > first && text.is_in(at, LETTER);
                !starts_pretoken && current.is_none_or(|current| current == script)
            } else if script == Script::INHERITED {
                current.is_some()
            } else {
                current.is_none() && !is_in_word(text, at)
            };
            if !goes_on && at > start {
                return at;
            }
            current = if script.is_strong() { Some(script) } else { current };
            at = next;
        }
        end
    }

    #[inline(always)]
    fn find_starts(&self, block: &mut Block, _at: usize) -> Starts {
        let scripts =
            if block.wide == 0 { ScriptMasks::default() } else { find_script_masks(block) };
        find_starts_by_script(block, &scripts)
    }
}

/// Returns the index of the first of some boundaries between pretokens, in falling order, after which
/// no script depends on the text before it: the first character after it that is not weak is strong.
pub(crate) fn find_restart(
    text: &str,
    mut boundaries: impl Iterator<Item = usize>,
) -> Option<usize> {
    let text = Text::new(text);
    let mut known = text.bytes.len();
    let mut is_strong = false;
    boundaries.position(|boundary| {
        let at = text.before(known).find_not_weak(boundary);
        if at < known {
            is_strong = text.peek_script(at).0.is_strong();
        }
        known = boundary;
        is_strong
    })
}

/// The characters of one script in a block.
#[derive(Clone, Copy)]
struct ScriptMask {
    script: Script,
    mask: u64,
}

/// More scripts in one block are left undecided.
const MAX_SCRIPTS: usize = 8;

/// Finds the characters of each script in a block; `None` if there are too many scripts. The first
/// three are Latin, inherited and weak.
#[inline(always)]
fn find_characters(block: &Block) -> Option<[ScriptMask; MAX_SCRIPTS]> {
    let mut found = [ScriptMask { script: Script::WEAK, mask: 0 }; MAX_SCRIPTS];
    found[0] = ScriptMask { script: Script::LATIN, mask: block.letters() & !block.wide };
    found[1].script = Script::INHERITED;
    let (mut last, mut count) = (0, 3);
    let mut leads = block.wide;
    while leads != 0 {
        let i = leads.trailing_zeros();
        let script = Script::of(decode(block.bytes, i as usize).0);
        if script != found[last].script {
            last = match found[..count].iter().position(|other| other.script == script) {
                Some(index) => index,
                None if count == MAX_SCRIPTS => return None,
                None => {
                    found[count].script = script;
                    count += 1;
                    count - 1
                }
            };
        }
        found[last].mask |= 1 << i;
        leads &= leads - 1;
    }
    Some(found)
}

/// Finds what the scripts of a block change.
#[inline(always)]
fn find_script_masks(block: &Block) -> ScriptMasks {
    let Some(found) = find_characters(block) else {
        return ScriptMasks { undecided: u64::MAX, ..ScriptMasks::default() };
    };
    let inherited = found[1].mask;
    let is_strong = |each: &&ScriptMask| each.mask != 0 && each.script.is_strong();
    let strong = found.iter().filter(is_strong).fold(0, |mask, each| mask | each.mask);
    let weak = block.wide & !strong & !inherited;
    // Strong characters after one of another script, and of the same script.
    let (mut changed, mut same) = (0, 0);
    let (mut unspaced, mut after_unspaced, mut latin) = (0, 0, 0);
    for each in found.iter().filter(is_strong) {
        // With the inherited characters after them.
        let mut run = each.mask;
        let mut marks = block.after(run) & inherited;
        while marks != 0 {
            run |= marks;
            marks = block.after(marks) & inherited;
        }
        let after = block.after(run);
        changed |= after & strong & !each.mask;
        same |= after & each.mask;
        if each.script.is_unspaced() {
            unspaced |= each.mask;
            after_unspaced |= after;
        } else if each.script == Script::LATIN {
            latin = run;
        }
    }
    let letters = block.letters();
    let mark = block.mask(MARK);
    let symbol = block.mask(PUNCT) | block.mask(CONTROL);
    let weak_letters = weak & letters;
    let mut undecided = mark & (weak | changed) | block.mask(WHITE) & strong;
    // A letter without a script starts a pretoken after a character of a script without spaces.
    undecided |= weak_letters & !after_unspaced;
    undecided |= (block.quote | mark) & block.after(weak_letters);
    undecided |= block.quote & block.after(inherited);
    // Digits, and symbols with what may follow them in a pretoken, of one script after another.
    undecided |= block.mask(NUMBER) & block.after(strong & block.mask(NUMBER)) & !same;
    undecided |= (symbol | block.mask(NEWLINE)) & block.after(strong & symbol) & !same;
    // A joiner between two characters of one script is decided.
    let joiners = inherited & symbol;
    undecided |= joiners & !block.after(strong) | block.after(joiners) & !same;
    ScriptMasks {
        starts: changed | weak_letters & after_unspaced,
        unspaced: unspaced & letters,
        not_contracted: block.wide & !latin,
        undecided,
    }
}
