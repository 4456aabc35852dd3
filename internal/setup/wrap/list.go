package wrap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"

	"acpshim/internal/setup/editor"
	"acpshim/internal/text/terminal"
)

// A Row is an entry of an editor, for a list.
type Row struct {
	Editor       string `json:"editor"`
	File         string `json:"file"`
	editor.Entry        // zero if there is none; its Problem may be that of the file
	IsGone       bool   `json:"gone"` // the acpshim that it starts does not exist
}

// List returns the entries of the editor of that name, or of all editors for "". An editor without
// entries has one row. The error is an [Unknown] for an unknown name.
func (m Machine) List(name string) ([]Row, error) {
	editors := editor.All()
	if name != "" {
		e, err := find(name)
		if err != nil {
			return nil, err
		}
		if e.InCode() {
			return nil, fmt.Errorf("%s has no settings that acpshim reads", e.Title)
		}
		editors = []editor.Editor{e}
	}
	var rows []Row
	for _, e := range editors {
		for _, file := range m.files(e) {
			text, _, err := load(file)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			rows = append(rows, m.rowsOf(e, file, text, err)...)
		}
	}
	return rows, nil
}

func (m Machine) rowsOf(e editor.Editor, file string, text []byte, err error) (rows []Row) {
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
		rows = append(rows, Row{e.Name, file, entry, m.isGone(&entry)})
	}
	if len(rows) == 0 {
		rows = []Row{{Editor: e.Name, File: file}}
	}
	return rows
}

// list returns the list of an editor, or of all for "", as a table.
func (m Machine) list(name string) (Result, error) {
	all, err := m.List(name)
	var rows [][]string
	for _, row := range all {
		rows = append(rows, row.cells())
	}
	if rows == nil {
		return Result{Did: "found no settings of " + cmp.Or(name, "an editor")}, err
	}
	var b bytes.Buffer
	terminal.Table(&b, []string{"EDITOR", "NAME", "WRAPPED", "ACPSHIM", "AGENT", "FILE"}, rows)
	return Result{Text: b.Bytes()}, nil
}

// cells returns the cells of a row.
func (r Row) cells() []string {
	wrapped, command, shim := "no", r.Command, r.Acpshim
	switch {
	case r.Recording:
		wrapped, command = "recorded", r.Agent
	case r.Wrapped():
		wrapped, command = "yes", r.Agent
	case r.Name == "":
		wrapped = ""
	}
	if r.IsGone {
		shim += " (does not exist)"
	}
	agent := cmp.Or(editor.Line(command), "(the editor installs it)")
	switch {
	case r.Connects():
		agent = "(on another machine)"
	case r.Problem != "":
		agent = "(" + r.Problem + ")"
	case r.Name == "":
		agent = "(no agents)"
	}
	return []string{r.Editor, r.Name, wrapped, shim, agent, r.File}
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
	rows, _ := m.List(args[0]) // an unknown editor has none
	for _, row := range rows {
		if row.Name != "" {
			names = append(names, row.Name)
		}
	}
	return names
}
