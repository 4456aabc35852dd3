// Package manpage writes manual pages of a tree of commands, for man(1). It is for the tests that
// keep docs/man as the commands are; no command imports it.
package manpage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Pages returns by file name ("acpshim-log.1") a page for root, and one for each command directly
// below it, with the commands below that. Overview has the paragraphs of root's page. The one that
// begins with "Usage:" is the synopsis. The one that begins with "Flags" has a line with %s, where
// the flags go, and behind it may have notes. The pages have no date.
func Pages(root *cobra.Command, overview string) map[string][]byte {
	pages := map[string][]byte{}
	names := []string{root.Name()}
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, root.Name()+"-"+c.Name())
		}
	}
	pages[names[0]+".1"] = overviewPage(root, overview, names)
	for _, c := range root.Commands() {
		if name := root.Name() + "-" + c.Name(); !c.Hidden {
			pages[name+".1"] = commandPage(c, name, names)
		}
	}
	return pages
}

func overviewPage(root *cobra.Command, overview string, names []string) []byte {
	var synopsis, description, options, notes string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(overview), "\n\n") {
		first, rest, _ := strings.Cut(paragraph, "\n")
		switch {
		case first == "Usage:":
			synopsis = rest
		case strings.HasPrefix(first, "Flags"):
			options = strings.TrimSuffix(first, ":") + "."
			_, notes, _ = strings.Cut(rest, "%s\n")
		default:
			description += paragraph + "\n\n"
		}
	}
	p := begin(root.Name(), clause(strings.TrimPrefix(description, root.Name()+" ")))
	p.section("SYNOPSIS", synopsis)
	p.section("DESCRIPTION", description)
	p.section("OPTIONS", options)
	p.flags(root.Flags())
	p.section("NOTES", notes)
	p.seeAlso(root.Name(), names)
	return p.bytes()
}

func commandPage(c *cobra.Command, name string, names []string) []byte {
	p := begin(name, clause(c.Long))
	p.head("SH", "SYNOPSIS")
	p.usage(c)
	p.section("DESCRIPTION", c.Long)
	p.head("SH", "OPTIONS")
	p.flags(c.Flags())
	if c.HasSubCommands() {
		p.head("SH", "COMMANDS")
		p.below(c)
	}
	p.section("FILTERS", c.Annotations["filters"])
	p.seeAlso(name, names)
	return p.bytes()
}

// below describes the commands below c, each with its flags.
func (p *page) below(c *cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Hidden {
			continue
		}
		p.head("SS", sub.CommandPath())
		p.usage(sub)
		p.paragraph()
		p.text(sub.Long)
		p.flags(sub.Flags())
		p.below(sub)
	}
}

// usage writes how a command is called, its name in bold.
func (p *page) usage(c *cobra.Command) {
	path, line := c.CommandPath(), c.UseLine()
	p.line(`\fB%s\fR%s`, escape(path), escape(strings.TrimPrefix(line, path)))
	if c.Example != "" {
		p.paragraph()
		p.line("%s", "Example: "+escape(c.Example))
	}
}

// flags describes the flags that are not hidden, in their order.
func (p *page) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, does := pflag.UnquoteUsage(f)
		name := `\fB` + escape("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + escape("-"+f.Shorthand) + `\fR, ` + name
		}
		if value != "" {
			name += ` \fI` + escape(value) + `\fR`
		}
		switch f.DefValue {
		case "", "false", "[]", "0":
		default:
			does += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		p.macro("TP")
		p.line("%s", name)
		p.line("%s", escape(does))
	})
}

func (p *page) seeAlso(own string, names []string) {
	var others []string
	for _, name := range names {
		if name != own {
			others = append(others, `\fB`+escape(name)+`\fR(1)`)
		}
	}
	p.head("SH", "SEE ALSO")
	p.line("%s", strings.Join(others, ",\n"))
}

// clause is the beginning of a text up to its first period or colon, as the NAME section has it.
func clause(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i, r := range text {
		if strings.ContainsRune(".:", r) && (i+1 == len(text) || text[i+1] == ' ') {
			text = text[:i]
			break
		}
	}
	return strings.ToLower(text[:1]) + text[1:]
}
