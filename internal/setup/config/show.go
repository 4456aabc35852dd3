package config

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/adapters/paths"
	"acpshim/internal/text/terminal"

	"github.com/go-json-experiment/json/jsontext"
)

// TOML returns the configuration as a file. Read over the default, the file gives the same
// configuration. A comment after each key says where its value was set.
func (c Config) TOML() string { return c.toml(Place.String) }

// Effect returns the part of the configuration that changes messages, as a text. It leaves out what
// is recorded, traced and logged, how an agent starts and ends, and where values were set.
func (c Config) Effect() string {
	var none Config
	c.Record, c.Redact, c.Log, c.Shutdown, c.Agents = none.Record, none.Redact, none.Log, none.Shutdown, nil
	c.Telemetry = none.Telemetry
	return c.toml(func(Place) string { return "" })
}

// Digest returns a hash of the Effect, for records.
func (c Config) Digest() string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(c.Effect()))) }

func (c Config) toml(origin func(Place) string) string {
	from := func(path string) string { return origin(c.From(path)) }
	var b strings.Builder
	table := ""
	for _, k := range c.keys() {
		if k.set == nil {
			continue
		}
		name := k.path
		if i := strings.LastIndexByte(k.path, '.'); i >= 0 {
			if k.path[:i] != table {
				table = k.path[:i]
				fmt.Fprintf(&b, "\n[%s]\n", table)
			}
			name = k.path[i+1:]
		}
		writeLine(&b, name+" = "+literal(k.value()), from(k.path))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		agent := c.Agents[name]
		fmt.Fprintf(&b, "\n[agents.%s]\n", quoteKey(name))
		for _, k := range agent.keys() {
			if at, isSet := c.from["agents."+name+"."+k.path]; isSet {
				writeLine(&b, k.path+" = "+literal(k.value()), origin(at))
			}
		}
	}
	writeNamed(&b, "plan.tool", c.Plan.Tool, from)
	for _, p := range c.Paths {
		writeRow(&b, "path", from("path."+p.Client), prefixKeys(&p), prefixKeys(&paths.Prefix{}))
	}
	writeNamed(&b, "permission", c.Permissions, from)
	writeNamed(&b, "command", c.Commands, from)
	for _, r := range c.Rules {
		writeRow(&b, "rule", from("rule."+r.Name), r.keys(), new(Rule).keys())
		if on, switched := c.Switches[r.Name]; switched {
			fmt.Fprintf(&b, "# switched %s by a profile\n", map[bool]string{true: "on", false: "off"}[on])
		}
	}
	for _, p := range c.Profiles {
		writeRow(&b, "profile", origin(p.at), p.ownKeys(), new(Profile).ownKeys())
		for _, s := range p.settings {
			line := s.path + " = " + literal(s.value)
			if c.overrides(s) {
				writeLine(&b, "# "+line, "overridden by: "+from(s.path))
			} else {
				b.WriteString(line + "\n")
			}
		}
	}
	return b.String()
}

// writeLine writes a line and a comment after it, which begins in a fixed column if the line is
// short.
func writeLine(b *strings.Builder, line, comment string) {
	b.WriteString(terminal.Pad(line, 30) + " # " + terminal.Line(comment) + "\n")
}

// writeNamed writes rows that have names. From says where the row of a path was set.
func writeNamed[T any, P namedRow[T]](b *strings.Builder, list string, rows []T, from func(path string) string) {
	for _, row := range rows {
		path, _, _ := P(&row).id()
		writeRow(b, list, from(path), P(&row).keys(), P(new(T)).keys())
	}
}

// writeRow writes a table of a list, with the keys that differ from those of a fresh one.
func writeRow(b *strings.Builder, list, origin string, keys, fresh []key) {
	b.WriteString("\n")
	writeLine(b, "[["+list+"]]", origin)
	for i, k := range keys {
		if !reflect.DeepEqual(k.value(), fresh[i].value()) {
			fmt.Fprintf(b, "%s = %s\n", k.path, literal(k.value()))
		}
	}
}

// literal returns a value as TOML.
func literal(value any) string {
	switch value := value.(type) {
	case string:
		return quote(value)
	case []string:
		return brackets(value, quote)
	case []any:
		return brackets(value, literal)
	case []rule.Setting:
		return braces(value, func(s rule.Setting) (string, string) { return s.Pointer, fromJSON(s.Value) })
	case []rule.Renaming:
		return braces(value, func(r rule.Renaming) (string, string) { return r.Pointer, quote(r.Name) })
	case map[string]jsontext.Value:
		return braces(slices.Sorted(maps.Keys(value)), func(name string) (string, string) { return name, fromJSON(value[name]) })
	case map[string]string:
		return braces(slices.Sorted(maps.Keys(value)), func(name string) (string, string) { return name, quote(value[name]) })
	case jsontext.Value:
		return fromJSON(value)
	default:
		return fmt.Sprint(value)
	}
}

// brackets returns a list as TOML.
func brackets[T any](elements []T, text func(T) string) string {
	var parts []string
	for _, e := range elements {
		parts = append(parts, text(e))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// braces returns an inline table as TOML.
func braces[T any](members []T, text func(T) (name, value string)) string {
	var parts []string
	for _, m := range members {
		name, value := text(m)
		parts = append(parts, quoteKey(name)+" = "+value)
	}
	if parts == nil {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// quote returns a text as a TOML string.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case terminal.Hidden(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case terminal.Hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quoteKey returns one name of a key as TOML.
func quoteKey(name string) string {
	if name == "" || slices.ContainsFunc([]byte(name), func(c byte) bool { return !isBare(c) }) {
		return quote(name)
	}
	return name
}

// Keys returns the keys outside of rows and agents, with all values that each can have, if they are
// few.
func Keys() map[string][]string {
	keys := map[string][]string{}
	for _, k := range new(Config).keys() {
		if k.set != nil {
			keys[k.path] = k.values
		}
	}
	return keys
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
