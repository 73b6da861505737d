"""A hook for mkdocs: turns links to repository files outside the site into plain names."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]


def on_page_markdown(markdown, page, **_):
    folder = (ROOT / "docs" / page.file.src_path).parent

    def replaced(match):
        target = (folder / match.group(2).split("#")[0]).resolve()
        if re.match(r"[a-z]+:", match.group(2)) or not target.exists() or target.is_relative_to(ROOT / "docs"):
            return match.group(0)
        return f"{match.group(1)} (`{target.relative_to(ROOT)}`)"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s#][^)\s]*)\)", replaced, markdown)
