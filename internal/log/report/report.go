// Package report draws a record as one HTML file that needs nothing else: no server, no network, no
// other file. The record is in it as data, which its script shows as text, never as markup.
package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"acpshim/internal/record/history"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Options describe a report. The zero value is useful.
type Options struct {
	Name   string // of the record, as a person knows it
	GoesOn bool   // the run is not over

	// Full shows messages whole. Otherwise the first 16 KiB of each are shown.
	Full bool

	limits limits // for tests; see [limits.orElse] for the zero value
}

// scripts are in the order in which they are needed.
var scripts = []string{"text.js", "marks.js", "tree.js", "glob.js", "query.js", "chips.js", "folds.js", "changes.js", "turns.js",
	"redactions.js", "document.js", "strip.js", "plans.js", "timeline.js", "rows.js", "list.js", "story.js", "panels.js", "sheet.js", "address.js", "keys.js", "main.js"}

//go:embed page
var page embed.FS

// Write writes the report of a history, which it does not change. It does not remove secrets: see
// [acpshim/internal/log/export.Read]. The error is one of writing.
func Write(w io.Writer, h *history.History, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	style, script := embedded("page.css"), ""
	for _, name := range scripts {
		script += embedded(name)
	}
	head, rest, _ := strings.Cut(embedded("page.html"), "STYLE")
	middle, rest, _ := strings.Cut(rest, "RECORD")
	behind, end, _ := strings.Cut(rest, "SCRIPT")
	// A file cannot set frame-ancestors and sandbox.
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'; "+
		"require-trusted-types-for 'script'; trusted-types 'none'", hash(script), hash(style))
	out.WriteString(strings.Replace(head, "POLICY", policy, 1) + style + middle)
	// It is escaped, so nothing in the data ends its element.
	err := json.MarshalWrite(out, newData(h, o), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	out.WriteString(behind + script + end)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func embedded(name string) string {
	text, err := page.ReadFile("page/" + name)
	if err != nil {
		panic("report: " + err.Error())
	}
	return string(text)
}

// hash names a script or style in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
