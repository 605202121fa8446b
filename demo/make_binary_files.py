#!/usr/bin/env python3
"""Writes the PDF, the workbook and the receipt image of the demo corpus.

    pip install -r demo/requirements.txt && python3 demo/make_binary_files.py

The outputs are committed; run this only to change them. The same library versions give the
same bytes: document dates are fixed, and so is the seed of the image's grain.
"""

from __future__ import annotations

import io
import random
import zipfile
from datetime import datetime
from pathlib import Path

import reportlab
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

CORPUS = Path(__file__).resolve().parent / "corpus"
STAMP = datetime(2026, 4, 1, 9, 0, 0)

CONTRACT = [
    ("Objeto", [
        "O Fornecedor Kappa entrega caixas, paletes e filme plástico à Meridiano Logística.",
        "As entregas chegam ao galpão de Jundiaí toda terça-feira, até as 10h.",
    ]),
    ("Preços", [
        "Os preços abaixo valem por doze meses e incluem o frete até Jundiaí.",
    ]),
    ("Prazo", [
        "O fornecimento começa em 1º de abril de 2026 e dura vinte e quatro meses.",
        "A renovação depende de aviso por escrito com noventa dias de antecedência.",
    ]),
    ("Qualidade", [
        "Um lote com mais de 3% de caixas amassadas é devolvido inteiro, e a troca é feita em "
        "até cinco dias úteis.",
    ]),
    ("Rescisão", [
        "Quem encerra o contrato antes do fim paga multa de 15% sobre as parcelas que faltam.",
        "A multa não se aplica quando o Fornecedor Kappa perde o certificado de qualidade.",
    ]),
]
PRICES = [
    ["Item", "Unidade", "Preço (R$)"],
    ["Caixa 60 x 40 cm", "unidade", "4,85"],
    ["Caixa 40 x 30 cm", "unidade", "3,10"],
    ["Palete de pinus", "unidade", "62,00"],
    ["Filme plástico", "rolo", "41,75"],
]
TARGETS = [
    ("Norte", 500000, 500000, 550000),
    ("Nordeste", 800000, 800000, 850000),
    ("Centro-Oeste", 420000, 420000, 430000),
    ("Sudeste", 1550000, 1600000, 1750000),
    ("Sul", 700000, 700000, 720000),
]
WAREHOUSES = [
    ("001", "Belém", 12, 4800, datetime(2011, 3, 14)),
    ("002", "Recife", 18, 7250, datetime(2018, 8, 6)),
    ("003", "Jundiaí", 34, 15900, datetime(2022, 5, 23)),
]
RECEIPT = [
    ("POSTO TRÊS RIOS", True),
    ("Rod. BR-316, km 48 - Castanhal/PA", False),
    ("", False),
    ("RECIBO 000318", True),
    ("Data: 12/03/2026   Hora: 06:42", False),
    ("Placa: MRD1A09", False),
    ("Motorista: Davi Sarmento", False),
    ("--------------------------------", False),
    ("Diesel S10   210,000 L x 6,09", False),
    ("                    R$ 1.278,90", False),
    ("Arla 32        4,000 L x 4,50", False),
    ("                       R$ 18,00", False),
    ("--------------------------------", False),
    ("TOTAL               R$ 1.296,90", True),
    ("Pago com cartão da frota", False),
    ("", False),
    ("Boa viagem!", False),
]


def write_contract(path: Path) -> None:
    """Writes the two-page supply contract, with a table and a footer on each page."""
    styles = getSampleStyleSheet()
    story = [Paragraph("Contrato de fornecimento de embalagens", styles["Title"]),
             Paragraph("Meridiano Logística e Fornecedor Kappa", styles["Heading3"])]
    for number, (heading, sentences) in enumerate(CONTRACT, start=1):
        if heading == "Prazo":
            story.append(PageBreak())
        story.append(Paragraph(f"{number}. {heading}", styles["Heading2"]))
        story += [Paragraph(sentence, styles["BodyText"]) for sentence in sentences]
        if heading == "Preços":
            table = Table(PRICES, hAlign="LEFT", colWidths=[6 * cm, 3 * cm, 3 * cm])
            table.setStyle(TableStyle([
                ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
                ("LINEBELOW", (0, 0), (-1, 0), 0.8, colors.black),
                ("ALIGN", (2, 0), (2, -1), "RIGHT"),
            ]))
            story += [Spacer(1, 0.2 * cm), table]

    def footer(canvas, document):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(2 * cm, 1.2 * cm, f"Contrato Kappa - página {document.page} de 2")

    SimpleDocTemplate(str(path), pagesize=A4, title="Contrato Kappa", author="Meridiano Logística",
                      invariant=1).build(story, onFirstPage=footer, onLaterPages=footer)


def write_workbook(path: Path) -> None:
    """Writes the targets workbook: a merged title and a roll-up row, and a second sheet."""
    book = Workbook()
    book.properties.created = book.properties.modified = STAMP
    sheet = book.active
    sheet.title = "Metas"
    sheet["A1"] = "Metas de receita do primeiro trimestre de 2026 (R$)"
    sheet["A1"].font = Font(bold=True, size=13)
    sheet["A1"].alignment = Alignment(horizontal="center")
    sheet.merge_cells("A1:D1")
    sheet.append([])
    sheet.append(["Região", "Janeiro", "Fevereiro", "Março"])
    for row in TARGETS:
        sheet.append(row)
    sheet.append(["Total", *(sum(row[column] for row in TARGETS) for column in (1, 2, 3))])
    for row in sheet.iter_rows(min_row=4, max_row=9, min_col=2, max_col=4):
        for cell in row:
            cell.number_format = "#,##0.00"
    second = book.create_sheet("Galpões")
    second.append(["Código", "Cidade", "Docas", "Área (m²)", "Abertura"])
    for row in WAREHOUSES:
        second.append(row)
        second.cell(second.max_row, 5).number_format = "dd/mm/yyyy"
    for target in (sheet, second):
        for column in "ABCDE":
            target.column_dimensions[column].width = 16
        for cell in target[3 if target is sheet else 1]:
            cell.font = Font(bold=True)
    buffer = io.BytesIO()
    book.save(buffer)
    repack(buffer, path)


def repack(buffer: io.BytesIO, path: Path) -> None:
    """Writes the archive again with fixed dates, so that its bytes depend on its content only."""
    stamp = STAMP.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(path, "w") as target:
        for name in sorted(source.namelist(), key=lambda n: (n != "[Content_Types].xml", n)):
            content = source.read(name)
            if name == "docProps/core.xml":
                start = content.index(b">", content.index(b"<dcterms:modified")) + 1
                end = content.index(b"</dcterms:modified>")
                content = content[:start] + stamp + content[end:]
            entry = zipfile.ZipInfo(name, date_time=STAMP.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content)


def write_receipt(path: Path) -> None:
    """Draws the fuel receipt as a phone would see it: tilted, unevenly lit, a little grainy."""
    fonts = Path(reportlab.__file__).parent / "fonts"
    plain = ImageFont.truetype(str(fonts / "Vera.ttf"), 23)
    bold = ImageFont.truetype(str(fonts / "VeraBd.ttf"), 25)
    paper = Image.new("L", (560, 760), 244)
    draw = ImageDraw.Draw(paper)
    for line, (text, heavy) in enumerate(RECEIPT):
        font, y = (bold if heavy else plain), 32 + line * 41
        if text.startswith(" ") or "   R$" in text:
            left, _, right = text.rpartition("R$ ")
            if left.strip():
                draw.text((34, y), left.strip(), 40, font=font)
            width = draw.textlength("R$ " + right, font=font)
            draw.text((526 - width, y), "R$ " + right, 40, font=font)
        else:
            draw.text((34, y), text, 40, font=font)
    table = Image.new("L", (720, 940), 96)
    shadow = Image.new("L", table.size, 0)
    mask = Image.new("L", paper.size, 255).rotate(2.2, expand=True, fillcolor=0)
    tilted = paper.rotate(2.2, expand=True, fillcolor=96, resample=Image.Resampling.BICUBIC)
    shadow.paste(90, (78, 84), mask)
    table = ImageChops.subtract(table, shadow.filter(ImageFilter.GaussianBlur(9)))
    table.paste(tilted, (66, 70), mask)
    light = Image.linear_gradient("L").resize(table.size).point(lambda v: 255 - v // 5)
    table = ImageChops.multiply(table, light).filter(ImageFilter.GaussianBlur(0.7))
    generator = random.Random(2026)
    small = Image.frombytes("L", (180, 235), bytes(generator.choice((0, 4, 8)) for _ in range(180 * 235)))
    grain = small.resize(table.size, Image.Resampling.BILINEAR)
    ImageChops.subtract(table, grain).quantize(32).save(path, optimize=True)


def main() -> None:
    """Writes the three files."""
    write_contract(CORPUS / "contrato_kappa.pdf")
    write_workbook(CORPUS / "metas_2026.xlsx")
    write_receipt(CORPUS / "recibo_combustivel.png")


if __name__ == "__main__":
    main()
