"""Links between pages, to files and to headings have targets."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
    if names.returncode == 0 and names.stdout:
        return [ROOT / name for name in names.stdout.split("\n") if name and (ROOT / name).exists()]
    return [page for page in ROOT.rglob("*.md") if not page.relative_to(ROOT).parts[0].startswith(("build", "subprojects"))]


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^```.*?^```", "", text))


def anchors(page):
    """The anchors that GitHub and mkdocs derive from headings."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    found = set()
    for heading in re.findall(r"(?m)^#+ +(.*?)\s*$", text):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        found.update((name, re.sub(r"-+", "-", name).strip("-")))
    return found


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        dead = []
        for page in pages():
            for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", without_code(page.read_text())):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                if not file.exists():
                    dead.append(f"{page.relative_to(ROOT)}: {target}")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                    dead.append(f"{page.relative_to(ROOT)}: {target} (no such heading)")
        self.assertEqual(dead, [])

    def test_tests_that_the_page_of_problems_names_exist(self):
        text = (ROOT / "docs/libvmaf-problems.md").read_text()
        named = re.findall(r"`(\w+)\.(\w+)`", text)
        self.assertGreater(len(named), 2)
        sources = "".join(path.read_text() for folder in ("src", "tests") for path in (ROOT / folder).rglob("*_test.cpp"))
        for suite, name in named:
            self.assertRegex(sources, rf"TEST(_[FP])?\({suite}, {name}")
        stages = (ROOT / ".ci/full").read_text()
        for stage in re.findall(r"`\.ci/full (\w+)`", text):
            self.assertIn(f"\nstage {stage} ", stages)

    def test_walks_pass_files_that_exist_and_count_them(self):
        text = (ROOT / "docs/architecture.md").read_text()
        walks = re.split(r"(?m)^\*\*", text[text.index("## Three walks"):text.index("## Libraries")])[1:]
        self.assertEqual(len(walks), 3)
        for walk in walks:
            files = []
            for row in re.findall(r"(?m)^\|(.*)\|$", walk):
                folder = pathlib.Path()
                for name in re.findall(r"`([\w/.]+\.[ch]pp)`", row): # relative to the previous folder, or to a common one
                    places = [ROOT / at / name for at in (folder, folder.parent, "", "tools/tune", "src/io")]
                    found = [place for place in places if place.exists()]
                    self.assertTrue(found, f"docs/architecture.md: {name}")
                    folder = found[0].parent.relative_to(ROOT)
                    files.append(found[0])
            self.assertEqual(int(re.search(r"\((\d+) files", walk).group(1)), len(files), walk[:60])
            self.assertEqual(len(set(files)), len(files), walk[:60])


if __name__ == "__main__":
    sys.exit(unittest.main())
