"""From study.json to report.html: `form` reads, `pictures` draws, `page` writes."""
