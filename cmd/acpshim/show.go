package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"acpshim/internal/log/query"
	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

// A showFlags holds the flags of "acpshim log show".
type showFlags struct {
	view.Options
	format format
	all    bool
	follow bool
	rows   int // 0 means all of them
}

// defaultRows is the number of earlier rows that --follow shows.
const defaultRows = 20

func newShow() *cobra.Command {
	var f finder
	s := showFlags{Options: view.Options{Note: note}}
	f.numbers = &s.Numbers
	c := &cobra.Command{
		Use:     "show [flags] [FILTER... | NUMBER]",
		Example: "acpshim log show 'update:plan*'",
		Long: `Show the messages of a run, one per row: the number, the seconds since the run
began, -> (to the agent) or <- (to the client), the kind, the session, and the
content. "-": a message that acpshim changed, and why. "+": what acpshim sent
instead, or added. NUMBER, such as 17 or 17..20, shows messages in detail: the
change and its reason, the response, size and time. The exit status is 1 if
nothing matches.`,
	}
	c.Flags().BoolVarP(&s.follow, "follow", "f", false, "wait for more rows, and for the next run")
	c.Flags().IntVarP(&s.rows, "rows", "n", 0, fmt.Sprintf("show the last `N` rows (default all; %d with -f)", defaultRows))
	c.Flags().BoolVar(&s.all, "all", false, "search all runs")
	s.format.add(c, "text", "json", "raw")
	takeFilter(c, &f, func(q query.Query) error {
		s.Raw, s.JSON = s.format == "raw", s.format == "json"
		isTail := s.follow || s.rows != 0
		switch {
		case c.Flags().Changed("rows") && s.rows < 1:
			return wrongUsage(c, fmt.Errorf("--rows: want 1 or more, not %d", s.rows))
		case isTail && (s.all || s.Numbers != nil || !s.format.isText()):
			return wrongArguments(c, "--follow and --rows cannot be combined with --all, --format or a NUMBER")
		case s.all && f.run != "":
			return wrongArguments(c, "want --all or --run, not both")
		}
		found, err := s.show(&f, q, isTail)
		switch {
		case err != nil:
			return failed(err)
		case !found && s.Numbers != nil:
			return &exit{1, fmt.Errorf("the record has no message #%s", s.Numbers), `"acpshim log show" prints the numbers`}
		case !found && !q.Empty():
			noteNothing(q, s.didYouMean(&f, q))
			return &exit{status: 1}
		}
		return nil
	})
	return c
}

// show shows what matches, and reports whether anything did.
func (s *showFlags) show(f *finder, q query.Query, isTail bool) (found bool, err error) {
	if isTail {
		return s.tail(f, q)
	}
	var records [][]string
	if s.all {
		if records, err = f.records(); err != nil {
			return false, err
		}
	}
	if len(records) == 0 { // find returns the error that there is no record
		files, err := f.find()
		if err != nil {
			return false, err
		}
		records = [][]string{files}
	}
	out := terminal.Stdout(!s.JSON)
	for _, files := range records {
		name := ""
		if s.Run = f.run; s.all {
			name = filepath.Base(files[0])
			s.Run = name
		}
		some := false
		some, err = view.Print(out, name, files, q, s.Options)
		found = found || some
		if errors.Is(err, record.ErrNoRecord) {
			if err = fmt.Errorf("%s: %w", filepath.Base(files[0]), err); s.all {
				note(err.Error())
				err = nil
			}
		}
		if err != nil {
			break
		}
	}
	return found, out.Close(err)
}

// didYouMean returns a hint for a kind of update that the run does not have, if it has a similar
// one.
func (s *showFlags) didYouMean(f *finder, q query.Query) string {
	files, err := f.find()
	if s.all || err != nil {
		return ""
	}
	h, err := history.Open(store.Opener(files))
	if err != nil {
		return ""
	}
	var kinds []string
	for _, m := range h.Messages {
		if m.Update != "" && !slices.Contains(kinds, m.Update) && len(kinds) < maxKinds {
			kinds = append(kinds, m.Update)
		}
	}
	if near := q.NearUpdate(kinds); near != "" {
		return "; did you mean update:" + terminal.Plain(near, 60) + "?"
	}
	return ""
}

// maxKinds bounds the kinds of updates that are compared.
const maxKinds = 100

// tail shows the last rows, and follows the run if --follow was given. Without --run it follows the
// next runs, too.
func (s *showFlags) tail(f *finder, q query.Query) (found bool, err error) {
	t := view.Tail{Out: terminal.Stdout(false), Rows: s.rows, Follow: s.follow, Query: q, Note: note}
	if t.Rows == 0 {
		t.Rows = defaultRows
	}
	if t.Follow && f.run == "" {
		folder, err := f.folder()
		if err == nil {
			err = t.Out.Close(t.Runs(folder))
		}
		return true, err
	}
	files, err := f.find()
	if err != nil {
		return false, err
	}
	found, err = t.Record(files)
	return found || t.Follow, t.Out.Close(err)
}

func newSummary() *cobra.Command {
	var f finder
	var to format
	c := &cobra.Command{
		Use:     "summary [flags]",
		Example: "acpshim log summary --run last~1",
		Long: `Tell what happened in a run, on one screen. The first line says for whom the
run waits, who ended it, or that nothing went wrong. Then come client and agent,
what they negotiated, turns, what went wrong, plans, what acpshim changed and
why, and what "acpshim log validate" finds. "acpshim log show 14" shows its
message #14.`,
		Args: noRecord,
		RunE: func(_ *cobra.Command, args []string) error {
			h, goesOn, err := f.read()
			if err != nil {
				return err
			}
			out := terminal.Stdout(to.isText())
			if s := view.Summarize(h, goesOn); to.isText() {
				_, err = out.WriteString(s.Draw(out.Style))
			} else {
				err = writeJSON(out, s)
			}
			return failed(out.Close(err))
		},
	}
	to.add(c, "text", "json")
	f.addRun(c)
	return c
}
