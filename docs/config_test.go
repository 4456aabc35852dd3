package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/setup/config"
)

const configHead = `<!-- Generated from config.toml and shipped.toml by "go test ./docs -update". Change these instead. -->

# Configuration

` + "The configuration is a TOML file. `acpshim config show --files` prints the path of yours, which is\n" +
	"`~/.config/acpshim/config.toml` on Linux. `--set` accepts values as in the file, such as\n" +
	"`--set 'gate.updates=[\"notice\"]'`; texts need no quotes. Values in a column \"example\" are not defaults.\n\n"

// docs/config.md is config.toml and shipped.toml as tables.
func TestConfigIsDescribed(t *testing.T) {
	all := sections(t)
	var b strings.Builder
	b.WriteString(configHead + paragraphs(all[0].comment) + "\n## Outside of tables\n\n" + keyTable("default", all[:1]))
	var small []section
	for i, s := range all[1:] {
		same := slices.DeleteFunc(slices.Clone(all), func(other section) bool { return other.name != s.name || !other.isExample })
		switch before := slices.ContainsFunc(all[:i+1], func(other section) bool { return other.name == s.name }); {
		case before:
		case s.name == "rule":
			b.WriteString("\n## [[rule]]\n\nA rule changes messages. [rules.md](rules.md) has its keys, and examples.\n\n" + shippedTables[s.name])
		case s.isExample:
			fmt.Fprintf(&b, "\n## %s\n\n%s\n%s", heading(s), paragraphs(s.comment), keyTable("example", same))
			if where := shippedTables[s.name]; where != "" {
				b.WriteString("\n" + where)
			}
		case len(s.keys) <= 3:
			small = append(small, dotted(s))
		default:
			fmt.Fprintf(&b, "\n## %s\n\n", heading(s))
			if s.comment != nil {
				b.WriteString(paragraphs(s.comment) + "\n")
			}
			b.WriteString(keyTable("default", []section{s}))
		}
	}
	b.WriteString("\n## Other tables\n\n" + keyTable("default", small))
	isGenerated(t, "config.md", b.String())
}

// dotted returns a section whose keys have the names of their table. The first one has its comment.
func dotted(s section) section {
	s.keys = slices.Clone(s.keys)
	s.keys[0].comment = slices.Concat(s.comment, s.keys[0].comment)
	for i := range s.keys {
		s.keys[i].name = s.name + "." + s.keys[i].name
	}
	return s
}

// isRow reports whether there may be several tables of that name.
func isRow(name string) bool {
	return slices.Contains([]string{"plan.tool", "profile", "path", "permission", "command", "rule"}, name)
}

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

// keyTable describes the keys of tables. Keys below one comment are in one row.
func keyTable(value string, tables []section) string {
	var rows [][]string
	seen := map[string]bool{}
	for _, s := range tables {
		for _, k := range s.keys {
			if seen[k.name] {
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
	return table([]string{"key", value, "meaning"}, rows)
}

// shippedTables say where the shipped tables are described, by their name.
var shippedTables = map[string]string{
	"plan.tool": "[plans.md](plans.md#todo-tools) lists the shipped todo tools.\n",
	"profile":   "[compatibility.md](compatibility.md#profiles) lists the shipped profiles.\n",
	"rule":      "[compatibility.md](compatibility.md#rules) lists the shipped rules.\n",
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
	return table([]string{"name", "why", "what it sets", "seen in", "source"}, cells)
}

// toolTable describes todo tools.
func toolTable(rows []section) string {
	var cells [][]string
	for _, s := range rows {
		why, seen, read := sources(s.comment)
		tool := toolOf(s.value("name"))
		recognised := "title " + code(tool.Title...)
		if len(tool.Title)+len(tool.Tool) == 0 {
			recognised = "the method " + code(tool.Method)
		} else if len(tool.Tool) > 0 {
			recognised += ", or tool " + code(tool.Tool...)
		}
		if tool.Agent != "" {
			recognised += "; only agent " + code(tool.Agent)
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
	return table([]string{"name", "why", "recognized by", "list at", "seen in", "source"}, cells)
}

// toolOf is the shipped todo tool of that name.
func toolOf(name string) config.Tool {
	tools := config.Default().Plan.Tool
	return tools[slices.IndexFunc(tools, func(t config.Tool) bool { return t.Name == name })]
}
