"""Word, PowerPoint, Excel and EPUB files for the tests, written by other libraries than read them, or by hand."""

from __future__ import annotations

import datetime
import io
import zipfile

import docx
import xlsxwriter

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)
MAIN = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAW = "http://schemas.openxmlformats.org/drawingml/2006/main"
RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "application/vnd.openxmlformats-officedocument.presentationml"


def archive(members, compression=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def word(build):
    document = docx.Document()
    build(document)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def sheets(build):
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        build(book)
    return made.getvalue()


def shape(number, paragraphs, placeholder=""):
    """A shape of a slide: paragraphs with their levels."""
    kind = f'<p:ph type="{placeholder}"/>' if placeholder else ""
    text = "".join(f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{words}</a:t></a:r></a:p>' for level, words in paragraphs)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="s{number}"/><p:cNvSpPr/><p:nvPr>{kind}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>{text}</p:txBody></p:sp>"
    )


def table(number, rows):
    cells = "".join(
        "<a:tr h='1'>"
        + "".join(f"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{c}</a:t></a:r></a:p></a:txBody></a:tc>" for c in row)
        + "</a:tr>"
        for row in rows
    )
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="t"/><p:cNvGraphicFramePr/><p:nvPr/>'
        "</p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData "
        f'uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblGrid/>{cells}</a:tbl>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )


def relations(*targets):
    found = "".join(
        f'<Relationship Id="r{number}" Type="{RELS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{found}</Relationships>'


def slide(content, element="sld"):
    space = f'xmlns:p="{MAIN}" xmlns:a="{DRAW}" xmlns:r="{RELS}"'
    head = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    return f"<p:{element} {space}><p:cSld><p:spTree>{head}{content}</p:spTree></p:cSld></p:{element}>"


def deck(slides, notes=None):
    """A PowerPoint file, written by hand after ECMA-376."""
    kinds = [(f"/ppt/slides/slide{number}.xml", "slide+xml") for number in range(1, len(slides) + 1)]
    kinds += [("/ppt/presentation.xml", "presentation.main+xml")]
    if notes:
        kinds.append(("/ppt/notesSlides/notes1.xml", "notesSlide+xml"))
    overrides = "".join(f'<Override PartName="{part}" ContentType="{OFFICE}.{kind}"/>' for part, kind in kinds)
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="r{number}"/>' for number in range(1, len(slides) + 1))
    members = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{default}{overrides}</Types>',
        "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{MAIN}" xmlns:r="{RELS}"><p:sldIdLst>{listed}</p:sldIdLst>'
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *[("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)]
        ),
    }
    for number, content in enumerate(slides, 1):
        members[f"ppt/slides/slide{number}.xml"] = slide(content)
    if notes:
        members["ppt/notesSlides/notes1.xml"] = slide(shape(2, [(0, notes)], "body"), "notes")
        members["ppt/slides/_rels/slide1.xml.rels"] = relations(("notesSlide", "../notesSlides/notes1.xml"))
    return archive(members)


def book(chapters, *, package="OEBPS/content.opf", more=None, extra_items=""):
    """An EPUB file, written by hand after the standard: chapters by their file names, in reading order."""
    items = "".join(
        f'<item id="i{n}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    folder = package.rpartition("/")[0]
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        f'<rootfile full-path="{package}" media-type="application/oebps-package+xml"/></rootfiles></container>',
        package: f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}{extra_items}'
        f'<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>',
        f"{folder}/nav.xhtml": "<html><body><nav>Contents</nav></body></html>",
        **{f"{folder}/{name}": content for name, content in chapters.items() if content is not None},
        **(more or {}),
    }
    return archive(members)


def build_word(document):
    document.add_heading("Pump manual", 0)
    document.add_heading("Maintenance", 1)
    paragraph = document.add_paragraph("Check the ")
    paragraph.add_run("seals").bold = True
    paragraph.add_run(" every week & note it.")
    document.add_heading("Steps", 2)
    for words in ("Loosen the bolts.", "Lift the cover."):
        document.add_paragraph(words, style="List Bullet")
    for words in ("First", "Second"):
        document.add_paragraph(words, style="List Number")
    made = document.add_table(2, 2)
    for cell, words in zip((c for row in made.rows for c in row.cells), ("Part", "Months", "Seal", "6"), strict=True):
        cell.text = words
    document.add_picture(io.BytesIO(PNG))
    document.add_paragraph("The end – größer als 3 < 4.")


def build_sheets(workbook):
    sheet = workbook.add_worksheet("Parts 2024")
    date = workbook.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write_row(0, 0, ["Part", "Months", "Since", "Price", "Used"])
    sheet.write_row(1, 0, ["Seal\nring", 6])
    sheet.write_datetime(1, 2, datetime.datetime(2024, 2, 29), date)
    sheet.write(1, 3, 12.5)
    sheet.write_boolean(1, 4, True)
    sheet.write_formula(3, 1, "=B2*2", None, 12)
    hidden = workbook.add_worksheet("Secret")
    hidden.write(0, 0, "hidden words")
    hidden.hide()
    workbook.add_worksheet("Empty")
    workbook.add_worksheet("Last").write_row(2, 1, ["x", 1e20])


OFFICE_FILES = {
    "docx": lambda: word(build_word),
    "pptx": lambda: deck([shape(2, [(0, "Title")], "title")]),
    "xlsx": lambda: sheets(build_sheets),
    "epub": lambda: book({"one.xhtml": "<p>words</p>"}),
}
