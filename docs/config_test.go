package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/config"
)

const configHead = `<!-- Generated from config.toml by "go test ./docs -update". Change config.toml instead. -->

# Configuration

`

// docs/config.md is config.toml to read.
func TestConfigIsDescribed(t *testing.T) {
	all := sections(t)
	var b strings.Builder
	b.WriteString(configHead + paragraphs(all[0].comment) + "\n")
	for i, s := range all {
		name, before := s.name, slices.ContainsFunc(all[:i], func(other section) bool { return other.name == s.name })
		switch {
		case name == "" && i > 0:
			b.WriteString(paragraphs(s.comment) + "\n")
		case s.isExample && !before:
			fmt.Fprintf(&b, "## %s\n\n%s\n%s\n", heading(s), paragraphs(s.comment), keyTable(all[i:], name))
		case s.isExample:
		case isRow(name) && !slices.ContainsFunc(all[:i], func(other section) bool { return other.name == name && !other.isExample }):
			b.WriteString(shippedTables[name](rowsOf(all, name)) + "\n")
		case !isRow(name):
			b.WriteString(settings(s))
		}
	}
	isGenerated(t, "config.md", strings.TrimRight(b.String(), "\n")+"\n")
}

// isRow reports whether there may be several tables of that name.
func isRow(name string) bool { return shippedTables[name] != nil }

// rowsOf are the shipped tables of that name.
func rowsOf(all []section, name string) (rows []section) {
	for _, s := range all {
		if s.name == name && !s.isExample {
			rows = append(rows, s)
		}
	}
	return rows
}

func heading(s section) string {
	if isRow(s.name) {
		return "[[" + s.name + "]]"
	}
	return "[" + strings.ReplaceAll(s.name, "codex", "NAME") + "]"
}

// settings describes the keys of a table that is there once, each below a heading of its own.
func settings(s section) string {
	var b strings.Builder
	prefix := ""
	if s.name == "" {
		b.WriteString("## Outside of tables\n\n")
	} else {
		fmt.Fprintf(&b, "## %s\n\n", heading(s))
		prefix = s.name + "."
		if s.comment != nil {
			b.WriteString(paragraphs(s.comment) + "\n")
		}
	}
	values := config.Keys()
	for _, k := range s.keys {
		others := slices.DeleteFunc(slices.Clone(values[prefix+k.name]), func(v string) bool { return v == strings.Trim(k.value, `"`) })
		for i := range others {
			if strings.HasPrefix(k.value, `"`) {
				others[i] = `"` + others[i] + `"`
			}
		}
		also := ""
		if others != nil {
			also = " Other values: " + code(others...) + "."
		}
		fmt.Fprintf(&b, "### %s\n\nDefault: %s.%s\n\n%s\n", prefix+k.name, code(k.value), also, paragraphs(k.comment))
	}
	return b.String()
}

// keyTable describes the keys of the examples of a table. Keys with one comment are in one row.
func keyTable(all []section, name string) string {
	var rows [][]string
	seen := map[string]bool{}
	for _, s := range all {
		for _, k := range s.keys {
			if s.name != name || !s.isExample || seen[k.name] {
				continue
			}
			seen[k.name] = true
			if k.comment == nil && len(rows) > 0 {
				last := rows[len(rows)-1]
				last[0], last[1] = last[0]+"<br>"+code(k.name), last[1]+"<br>"+code(k.value)
				continue
			}
			rows = append(rows, []string{code(k.name), code(k.value), markdown(strings.Join(k.comment, " "))})
		}
	}
	return table([]string{"key", "example", "meaning"}, rows)
}

// shippedTables describe the shipped tables, by their name.
var shippedTables = map[string]func([]section) string{
	"plan.tool": func(rows []section) string {
		return "### Shipped todo tools\n\n" + toolTable(rows) + "\n[shipped.toml](../internal/config/shipped.toml) has all of each.\n"
	},
	"profile":    func(rows []section) string { return "### Shipped profiles\n\n" + shippedTable(rows) },
	"path":       func([]section) string { return "" }, // none is shipped
	"permission": func([]section) string { return "" }, // none is shipped
	"command":    func([]section) string { return "" }, // likewise
	"rule":       func(rows []section) string { return "### Shipped rules\n\n" + shippedTable(rows) },
}

// shippedTable describes tables by their reasons, keys and sources.
func shippedTable(rows []section) string {
	var cells [][]string
	for _, s := range rows {
		why, seen, read := sources(s.comment)
		var keys []string
		for _, k := range s.keys[1:] {
			keys = append(keys, code(k.name+" = "+k.value))
		}
		cells = append(cells, []string{s.value("name"), markdown(why), strings.Join(keys, "<br>"), seen, markdown(read)})
	}
	return table([]string{"name", "why", "what it sets", "seen with", "read in"}, cells)
}

// toolTable describes todo tools.
func toolTable(rows []section) string {
	var cells [][]string
	for _, s := range rows {
		why, seen, read := sources(s.comment)
		tool := toolOf(s.value("name"))
		recognised := code(tool.Title...)
		if len(tool.Title)+len(tool.Tool) == 0 {
			recognised = "the method " + code(tool.Method)
		} else if len(tool.Tool) > 0 {
			recognised += "; tool " + code(tool.Tool...)
		}
		if tool.Agent != "" {
			recognised += "; agent " + code(tool.Agent)
		}
		lists := code(tool.List...)
		if len(tool.Text) > 0 {
			lists = strings.TrimPrefix(lists+"; markdown "+code(tool.Text...), "; ")
		}
		if len(tool.Completed) > 0 {
			lists += "; completed " + code(tool.Completed...)
		}
		cells = append(cells, []string{tool.Name, markdown(why), recognised, lists, seen, markdown(read)})
	}
	return table([]string{"name", "why", "recognised by the title", "read at", "seen with", "read in"}, cells)
}

// toolOf is the shipped todo tool of that name.
func toolOf(name string) config.Tool {
	tools := config.Default().Plan.Tool
	return tools[slices.IndexFunc(tools, func(t config.Tool) bool { return t.Name == name })]
}
