"""Every chapter and section of docs/spec that a comment or a chapter cites exists, and chapters describe the present, not their history."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = ROOT / "docs/spec"
CODE = ["src", "tools", "tests", "bench", "fuzz", "include", "scripts", "ffmpeg-patches", "docs"]
SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".build", ".md", ".js", ".cu"}
CHAPTERS = {path.name for path in SPEC.glob("*.md")} - {"README.md"}

NUMBER = r"\d+(?:\.\d+)*"
JOINT = r"(?:,| to | and |, and | or |–|-)\s*"
# A chapter's name that is not part of a path (docs/models.md is another page), and the section numbers after it.
CITATION = re.compile(rf"(?<![/\w.-])`?({'|'.join(map(re.escape, sorted(CHAPTERS)))})`?(?:,? (?:sections?|chapters?|§))? "
                      rf"({NUMBER}(?:{JOINT}{NUMBER}(?![\w-]))*)")


def sections(chapter):
    """Numbers of headings, and of paragraphs that begin with one (tune.md 5.6)."""
    text = (SPEC / chapter).read_text()
    return set(re.findall(rf"^(?:#+ )?({NUMBER})\.? ", text, re.M))


def citations(text):
    """(chapter, number) pairs; a citation may continue on the next line of a comment."""
    joined = re.sub(r"\n\s*(?://|#|\*)?\s*", " ", text)
    for match in CITATION.finditer(joined):
        for number in re.findall(NUMBER, match.group(2)):
            yield match.group(1), number


class Citations(unittest.TestCase):
    def test_chapters_are_there(self):
        self.assertGreaterEqual(len(CHAPTERS), 14)

    def test_cited_sections_exist(self):
        known = {chapter: sections(chapter) for chapter in CHAPTERS}
        count = 0
        missing = []
        for folder in CODE:
            for path in sorted((ROOT / folder).rglob("*")):
                if path.suffix not in SUFFIXES or not path.is_file() or path == pathlib.Path(__file__).resolve():
                    continue
                for chapter, number in citations(path.read_text(errors="replace")):
                    count += 1
                    if number not in known[chapter]:
                        missing.append(f"{path.relative_to(ROOT)}: {chapter} {number}")
        self.assertEqual(missing, [])
        self.assertGreater(count, 200)

    def test_sections_within_a_chapter_exist(self):
        missing = []
        for chapter in sorted(CHAPTERS):
            known = sections(chapter)
            for number in re.findall(rf"\bsections? ({NUMBER})", (SPEC / chapter).read_text()):
                # "`c-api.md` section 12" and "backends.md section 6" cite other chapters and are tested above.
                if number not in known and not re.search(rf"\.md`? sections? {re.escape(number)}\b", (SPEC / chapter).read_text()):
                    missing.append(f"{chapter}: section {number}")
        self.assertEqual(missing, [])

    def test_a_wrong_citation_would_be_found(self):
        text = "// (vif.md 2.7,\n// 99.1) and adm.md 3.4 to 3.8, tune.md 9"
        self.assertEqual(list(citations(text)), [("vif.md", "2.7"), ("vif.md", "99.1"), ("adm.md", "3.4"), ("adm.md", "3.8"),
                                                 ("tune.md", "9")])
        self.assertNotIn("99.1", sections("vif.md"))

    def test_chapters_contain_no_history(self):
        for path in SPEC.glob("*.md"):
            found = re.findall(r"\bfork\b|[Mm]ission doc|\[[FSRN]\]|prototypes?/|held back|[Cc]hecked against|this text", path.read_text())
            self.assertEqual(found, [], path.name)


if __name__ == "__main__":
    sys.exit(unittest.main())
