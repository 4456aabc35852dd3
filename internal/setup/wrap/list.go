package wrap

import (
	"bytes"
	"cmp"
	"errors"
	"os"

	"acpshim/internal/setup/editor"
	"acpshim/internal/text/terminal"
)

// A Row is an entry of an editor, for a list.
type Row struct {
	Editor       string `json:"editor"`
	File         string `json:"file"`
	editor.Entry        // zero if there is none; its Problem may be that of the file
}

// List returns the entries of all editors. An editor without entries has one row.
func (m Machine) List() []Row {
	var rows []Row
	for _, e := range editor.All() {
		for _, file := range m.files(e) {
			text, _, err := load(file)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			rows = append(rows, rowsOf(e, file, text, err)...)
		}
	}
	return rows
}

func rowsOf(e editor.Editor, file string, text []byte, err error) (rows []Row) {
	var entries []editor.Entry
	if err == nil {
		var d *editor.Document
		if d, err = editor.Parse(text); err == nil {
			entries, err = d.Entries(e)
		}
	}
	if err != nil {
		return []Row{{Editor: e.Name, File: file, Entry: editor.Entry{Problem: err.Error()}}}
	}
	for _, entry := range entries {
		rows = append(rows, Row{e.Name, file, entry})
	}
	if len(rows) == 0 {
		rows = []Row{{Editor: e.Name, File: file}}
	}
	return rows
}

// list returns the list as a table.
func (m Machine) list() Result {
	var rows [][]string
	for _, row := range m.List() {
		rows = append(rows, row.cells())
	}
	if rows == nil {
		return Result{Did: "found no settings of an editor"}
	}
	var b bytes.Buffer
	terminal.Table(&b, []string{"EDITOR", "NAME", "WRAPPED", "AGENT", "FILE"}, rows)
	return Result{Text: b.Bytes()}
}

// cells returns the cells of a row.
func (r Row) cells() []string {
	wrapped, command := "no", r.Command
	switch {
	case r.Recording:
		wrapped, command = "recorded", r.Agent
	case r.Wrapped():
		wrapped, command = "yes", r.Agent
	case r.Name == "":
		wrapped = ""
	}
	agent := cmp.Or(editor.Line(command), "(the editor installs it)")
	switch {
	case r.Problem != "":
		agent = "(" + r.Problem + ")"
	case r.Name == "":
		agent = "(no agents)"
	}
	return []string{r.Editor, r.Name, wrapped, agent, r.File}
}

// Complete returns the words that may follow args: editors, or the entries of the editor in args.
func Complete(args []string) (names []string) {
	if len(args) == 0 {
		return Editors()
	}
	m, err := This()
	if err != nil || len(args) > 1 {
		return nil
	}
	for _, row := range m.List() {
		if row.Editor == args[0] && row.Name != "" {
			names = append(names, row.Name)
		}
	}
	return names
}
