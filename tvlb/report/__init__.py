"""The report of a sweep: one HTML file with its figures, tables and a page for each size.

It is made of result rows and of documents of tables, needs no network, and equal input gives equal
bytes.
"""

from tvlb.report.page import Reported, ReportedFigure, figures_html, report_html

__all__ = ["Reported", "ReportedFigure", "figures_html", "report_html"]
