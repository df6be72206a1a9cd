"""Texts of our own in five languages, and the names in each: what a follow-up may search for, and nothing else."""

from typing import Final

NAMED: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "en": (
        "The lighthouse on Gull Island was built in March 1871 by Ada Thornbury. American visitors come on "
        "Mondays. The Bay of Kelp lies north of Port Merrow. Dr. Silas Penn lit the first lamp.",
        frozenset({"Ada Thornbury", "Bay of Kelp", "Gull Island", "Port Merrow", "Silas Penn"}),
    ),
    "de": (
        "Der Leuchtturm auf der Insel wurde Ende März 1871 von Ada Dornbusch gebaut. Am Montag kommen Besucher "
        "aus der Stadt mit zwei Litern Milch und drei Tassen Kaffee. Die Bücherei hat 300 Millionen Euro und fünf "
        "Prozent Rabatt. Herr Doktor Silas Penn zündete die erste Lampe an. Die NASA misst das Licht der Städte. "
        "Im Jahrhundert der Aufklärung lebte Johann Wolfgang von Goethe. Der Preis von Brot und der Bau von "
        "Brücken steigen. Können Sie Ihren Ausweis zeigen? Das Buch liegt auf Seite Zwölf. Sehr geehrte Damen und "
        "Herren, die Haus- und Gartenarbeit ruht am Wochenende.",
        frozenset({"Ada Dornbusch", "Johann Wolfgang von Goethe", "NASA", "Silas Penn"}),
    ),
    "fr": (
        "Le phare de l’île fut bâti en mars 1871 par Ada Ronceval. Les Français viennent le lundi. La ville de "
        "Port Merle se trouve au nord. Monsieur Silas Penne alluma la première lampe. Les habitants de La "
        "Rochelle le virent.",
        frozenset({"Ada Ronceval", "Port Merle", "Rochelle", "Silas Penne"}),
    ),
    "es": (
        "El faro de la isla fue construido en marzo de 1871 por Ada Espinosa. Los Españoles vienen los lunes. La "
        "ciudad de Puerto Mirlo está al norte. Don Silas Peña encendió la primera lámpara. El río Tajo pasa por "
        "Toledo.",
        frozenset({"Ada Espinosa", "Puerto Mirlo", "Silas Peña", "Tajo", "Toledo"}),
    ),
    "zh": (
        "灯塔建于一八七一年。NASA 和 VIIRS 测量城市的灯光。星期一有美国人来。",
        frozenset(),
    ),
}
"""A language's text, and its names. Those of German need two words or an acronym."""
