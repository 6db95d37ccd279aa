package acctest

import "strings"

// HostileNames are names that somebody might give to a thing to have a file written elsewhere, or to be taken for more than a
// name in a configuration, a comment, a page or a terminal. Real servers refuse some of them.
var HostileNames = []string{
	// Paths.
	"../../../etc/passwd", `..\..\x`, "/etc/passwd", `C:\Windows\x`, "..", ".", ".terraformrc", "x/../../y.tf", "override.tf", "x.auto.tfvars",
	"CON", "nul.txt", "aux", "COM1", "file:stream", "trailing.", "-rf", "--help", "~root", "$HOME",
	// Configuration.
	"${path.module}", "%{ if true }x%{ endif }", "$${x}", "%%{x}", "${file(\"/etc/passwd\")}", "<<EOT\nx\nEOT", "\"\nresource \"x\" \"y\" {}\n#",
	`"}`, `\`, `\"`, `\u0041`, "# comment", "/* comment", "*/", "'single'",
	// Control characters, and what nobody sees.
	"nul\x00nul", "line\nline", "line\r\nline", "tab\tbell\x07", "\x1b[31mred\x1b]0;title\x07", "\u202egnp.exe", "\u2066isolate", "zero\u200bwidth\u200djoiner", "\ufeffbom",
	"\u2028separator\u2029", "\u00ad", "\u0301accent", strings.Repeat("\u0301", 50), "👩\u200d👩\u200d👧\u200d👦🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U000e0041tag",
	// HTML.
	"<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", `" onmouseover="alert(1)`, "' onfocus='alert(1)' autofocus='",
	"<!--", "-->", "]]>", "</style><b id=evil>", "</title></textarea><svg onload=alert(1)>", "&lt;b&gt;", "&#60;b&#62;", "<details open ontoggle=alert(1)>", "javascript:alert(1)",
	// Markdown.
	"[x](javascript:alert(1))", "](javascript:alert(1))", "![x](https://evil.example/x.png)", "<https://evil.example>", "https://evil.example", "www.evil.example",
	"`code`", "``` code", "`", "| a | b |", `a\|b`, "\n\n# heading\n", "\n- item", "**bold**", "@everyone", "#1", ":tada:", "[^1]", "x\n| --- |\n| y |", "[x]: https://evil.example",
	// Lengths.
	strings.Repeat("long ", 2000), strings.Repeat("長", 1000), strings.Repeat("<", 500), strings.Repeat("`", 300),
}
