/* SPDX-License-Identifier: GPL-2.0 */
/* The style sheet of the page, apart from that of the pictures (svg_style()). */
#ifndef CLI_REPORT_STYLE_H
#define CLI_REPORT_STYLE_H

static const char survey_style[] =
	":root{color-scheme:light dark;--ink:#1f2d3d;--pale:#5b6b7d;--paper:#ffffff;--ground:#f2f4f7;"
	"--line:#dde3ea;--yes:#1d7a3f;--narrow:#9a6200;--no:#b3262f;--some:#5b6b7d}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e3e9f1;--pale:#9fb0c3;--paper:#161b22;"
	"--ground:#0d1117;--line:#2b3440;--yes:#5cc47f;--narrow:#e0a94a;--no:#f0626b;--some:#9fb0c3}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--ground);color:var(--ink);"
	"font:15px/1.5 system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}\n"
	"main{max-width:1120px;margin:0 auto;padding:28px 20px 60px}\n"
	"h1{font-size:28px;line-height:1.2;margin:0}h2{font-size:20px;margin:36px 0 10px}\n"
	"h3{font-size:15px;margin:22px 0 4px}\n"
	"p{margin:6px 0}.pale{color:var(--pale)}\n"
	"section{background:var(--paper);border:1px solid var(--line);border-radius:10px;"
	"padding:14px 18px;margin:12px 0}\n"
	"section>h2{margin:4px 0 10px}\n"
	".top{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:center}\n"
	".badge{border:1.5px solid;border-radius:99px;padding:1px 12px;font-weight:600;font-size:14px}\n"
	".yes{color:var(--yes)}.narrow{color:var(--narrow)}.no{color:var(--no)}.some{color:var(--some)}\n"
	".scroll{overflow-x:auto}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}\n"
	"th,td{padding:4px 14px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
	"thead th{color:var(--pale);font-weight:600;white-space:nowrap}\n"
	"tbody th{font-weight:500;color:var(--pale);white-space:nowrap}\n"
	"table.wide{width:100%}td.n,th.n{text-align:right;white-space:nowrap}\n"
	"tr:last-child>*{border-bottom:0}\n"
	"figure{margin:8px 0}figure svg{display:block;max-width:100%;height:auto}\n"
	"figcaption{color:var(--pale);font-size:13.5px;max-width:900px}\n"
	"a{color:inherit}nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin:10px 0 0;font-size:14px}\n"
	"code{font:13px/1.5 ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}\n"
	"@media print{body{background:none}section{break-inside:avoid;border-color:#ccc}}\n";

#endif
