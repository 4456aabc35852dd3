package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"acpshim/internal/history/query"
	"acpshim/internal/history/show"
	"acpshim/internal/history/summary"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

// addShow adds the flags that say how a record is shown.
func addShow(c *cobra.Command, o *show.Options) {
	o.Note = note
	c.Flags().BoolVar(&o.Raw, "raw", false, "print the lines as they were")
	c.Flags().BoolVar(&o.JSON, "json", false, "print the lines of the record")
}

// showAll shows what a filter matches in records, under their names if there are some.
func showAll(c *cobra.Command, records [][]string, named bool, q query.Query, o show.Options) (found bool, err error) {
	if o.Raw && o.JSON {
		return false, wrongArguments(c, "want --raw or --json, not both")
	}
	out := terminal.Stdout(!o.JSON)
	for _, files := range records {
		name := ""
		if named {
			name = filepath.Base(files[0])
		}
		some := false
		some, err = show.Record(out, name, files, q, o)
		if found = found || some; err != nil {
			break
		}
	}
	return found, failed(out.Close(err))
}

func newLogShow() *cobra.Command {
	var f finder
	var o show.Options
	f.numbers = &o.Numbers
	c := &cobra.Command{
		Use: "show [--raw | --json] [RECORD] [NUMBER | FILTER...]",
		Long: `Show a record: a row a message, with its number, the seconds since the run began,
-> if it went to the agent and <- if to the client, what it is, the number of its
session, and what it says. A row with - is a message that acpshim changed, as it
came, with the names of what changed it; one with + is what went on, or what acpshim
put beside another. With a NUMBER, such as 17 or 17..20, that message on a screen:
where both sides of a change differ, its response, who changed it and why, size and
time. --raw shows all of a long one.`,
	}
	addShow(c, &o)
	takeFilter(c, &f, func(name string, q query.Query) error {
		files, err := f.find(name)
		if err != nil {
			return err
		}
		found, err := showAll(c, [][]string{files}, false, q, o)
		switch {
		case err == nil && !found && o.Numbers != nil:
			return &exit{1, fmt.Errorf("no entry %s in the record", o.Numbers), `"acpshim log show" prints the numbers`}
		case err == nil && !found:
			noteNothing(q)
		}
		return err
	})
	return c
}

func newSummary() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use: "summary [--json] [RECORD]",
		Long: `Tell what happened in a record, on one screen: who spoke with whom and what was
negotiated, turns, requests that failed, plans, what acpshim changed and why, and what
"acpshim log validate" finds. Each number is one for "acpshim log show NUMBER".`,
		Args:              atMostOne("RECORD"),
		ValidArgsFunction: f.completeRecord,
		RunE: func(_ *cobra.Command, args []string) error {
			h, goesOn, err := f.read(strings.Join(args, ""))
			if err != nil {
				return err
			}
			out := terminal.Stdout(!asJSON)
			if s := summary.Of(h, goesOn); asJSON {
				err = writeJSON(out, s)
			} else {
				_, err = out.WriteString(s.Draw(out.Style))
			}
			return failed(out.Close(err))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object with all of it")
	f.addLayers(c)
	return c
}

func newGrep() *cobra.Command {
	var f finder
	var o show.Options
	var all bool
	c := &cobra.Command{
		Use: "grep [--all] [--raw | --json] TEXT... [RECORD]",
		Long: `Show what has a text in it, in one record or in all. TEXT may be any FILTER. The
exit status is 1 if there is nothing.`,
	}
	addShow(c, &o)
	c.Flags().BoolVar(&all, "all", false, "look in all records")
	takeFilter(c, &f, func(name string, q query.Query) error {
		switch {
		case q.Empty():
			return wrongArguments(c, "want a text to look for")
		case all && name != "":
			return wrongArguments(c, "want either --all or the record %q", name)
		}
		var records [][]string
		var err error
		if all {
			records, err = f.records()
		}
		if len(records) == 0 && err == nil { // of none at all it says so
			records = make([][]string, 1)
			records[0], err = f.find(name)
		}
		if err != nil {
			return failed(err)
		}
		found, err := showAll(c, records, all, q, o)
		if err == nil && !found {
			return &exit{status: 1}
		}
		return err
	})
	return c
}

func newTail() *cobra.Command {
	var f finder
	var t show.Tail
	c := &cobra.Command{
		Use: "tail [-f] [-n N] [RECORD] [FILTER...]",
		Long: `Show the last rows of a record as "acpshim log show" does, and with -f those to come, until
the run ends. Without a RECORD -f follows the run that goes on, or waits for the next one, then
follows those after it; Ctrl-C ends it. A text is looked for in each piece alone.`,
	}
	c.Flags().BoolVarP(&t.Follow, "follow", "f", false, "go on while the record grows, and with the next ones")
	c.Flags().IntVarP(&t.Rows, "rows", "n", 20, "show the last `N` rows")
	takeFilter(c, &f, func(name string, q query.Query) (err error) {
		t.Out, t.Query, t.Note = terminal.Stdout(false), q, note
		if t.Rows < 0 {
			return wrongUsage(c, fmt.Errorf("--rows: want 0 or more, not %d", t.Rows))
		}
		if t.Follow && name == "" {
			folder, err := f.folder()
			if err == nil {
				err = t.Out.Close(t.Runs(folder))
			}
			return failed(err)
		}
		files, err := f.find(name)
		if err != nil {
			return err
		}
		found, err := t.Record(files)
		if err = t.Out.Close(err); err == nil && !found {
			noteNothing(q)
		}
		return failed(err)
	})
	return c
}
