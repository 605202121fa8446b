"""The matching rules, case by case."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from matching import canonical_number, contains, matches, normalise  # noqa: E402


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A receita foi de R$ 4.988.300,00.", "4.988.300"),
        ("The revenue was 4,988,300", "4.988.300"),
        ("total: 4988300.0", "4.988.300"),
        ("total 4 988 300".replace(" ", "\u00a0"), "total 4.988.300".replace(" ", "\u00a0")),
        ("São 1.591.514,30 reais", "1591514.3"),
        ("R$5017154.95", "5.017.154,95"),
        ("média de 4143530.8666667", "4.143.530,87"),
        ("A DIRETORIA FINANCEIRA assina", "diretoria financeira"),
        ("anonimizacao", "anonimização"),
        ("prazo de sessenta meses", "60"),
        ("60 months", "sessenta"),
        ("vinte e quatro meses", "24 meses"),
        ("twenty-four months", "24 months"),
        ("setenta e dois meses", "72"),
        ("quarenta e cinco dias", "45 dias"),
        ("acima de cinquenta mil reais", "50.000 reais"),
        ("R$ 50 mil", "50.000"),
        ("fifty thousand", "50,000"),
        ("one hundred and twenty", "120"),
        ("mil duzentos e trinta e quatro", "1.234"),
        ("um milhão e duzentos mil", "1.200.000"),
        ("2 milhões", "2.000.000"),
        ("quatrocentas pessoas", "400 pessoas"),
        ("trinta e um", "31"),
        ("cento e uma notas", "101 notas"),
        ("multa de 2 % do valor", "2%"),
        ("two percent", "2%"),
        ("dois por cento", "2%"),
        ("a **Política PC-09** vale", "Politica PC-09"),
        ("PC\u201109", "PC-09"),
        ("das 22h às 2h", "22h as 2h"),
        ("18h", "18"),
        ("em 2011, Belém", "2011"),
        ("cobre 3, 4 e 5", "4"),
        ("valor 8.000,00.", "8 mil"),
        ("consumo de 5,42 km/l", "5.42"),
        ("qualquer coisa", ""),
    ],
)
def test_found(text, wanted):
    assert contains(text, wanted), (normalise(text), normalise(wanted))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("fundada em 2011", "20"),
        ("fundada em 2011", "11"),
        ("são 20,5 km", "20"),
        ("são 3,20", "20"),
        ("4.988.301", "4.988.300"),
        ("12.950.950", "2.950.950"),
        ("PC-04", "PC-4"),
        ("PC-09", "PC-04"),
        ("0.765", "765"),
        ("uma quebra", "1"),
        ("doze", "2"),
        ("vinte e quatro", "4"),
        ("dois, três", "5"),
        ("sistema Atlas", "Helios"),
        ("chegou a mil reais", "1"),
    ],
)
def test_not_found(text, wanted):
    assert not contains(text, wanted), (normalise(text), normalise(wanted))


@pytest.mark.parametrize(
    ("token", "number"),
    [
        ("1.234", "1234"),
        ("1,234", "1234"),
        ("1234.567", "1234.57"),
        ("0.765", "0.77"),
        ("12.5", "12.5"),
        ("12,50", "12.5"),
        ("1.234.567,50", "1234567.5"),
        ("1,234,567.50", "1234567.5"),
        ("007", "007"),
        ("10.10.2026", "10.10.2026"),
        ("2,005", "2005"),
        ("100", "100"),
    ],
)
def test_canonical_number(token, number):
    assert canonical_number(token) == number


def test_list_is_any_of():
    assert matches("in February", ["fevereiro", "February"])
    assert not matches("in March", ["fevereiro", "February"])


def test_normalising_twice_changes_nothing():
    for text in ("Trinta e uma notas, R$ 1.234,50 e 2 por cento", "Twenty-four hours", "PC-04"):
        assert normalise(normalise(text)) == normalise(text)
