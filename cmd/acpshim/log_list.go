package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"acpshim/internal/history/view"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newLogList() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use:                   "list [--json]",
		DisableFlagsInUseLine: true,
		Long:                  "List the records, the newest last: the beginning of its name, when it began and how\nlong it went on, agent, client, lines, how it ended\nand what it lacks at first sight, and its size.",
		Args:                  noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := f.records()
			if err != nil {
				return failed(err)
			}
			out := newOutput(false)
			return out.Close(list(out, all, asJSON))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object a line")
	addHelp(c)
	f.addLayers(c)
	return c
}

func list(out *output, records [][]string, asJSON bool) error {
	var rows [][]string
	for i, parts := range records {
		l, err := look(parts)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			fmt.Fprintf(stderr(), "acpshim: %v\n", err)
			continue
		}
		if asJSON {
			if err := writeJSON(out, l); err != nil {
				return err
			}
			continue
		}
		how := l.State
		if l.Status != nil {
			how = strings.TrimSpace(fmt.Sprintf("exit %d %s", *l.Status, terminal.Plain(l.Signal, 20)))
		}
		if l.Before > 0 {
			how += ", beginning gone"
		}
		if l.Gone > 0 {
			how += ", " + counted(l.Gone, "file", "files") + " gone"
		}
		if l.Lost > 0 {
			how += ", " + counted(l.Lost, "line", "lines") + " missing"
		}
		rows = append(rows, []string{
			shortName(records, i), l.Begun.Local().Format(time.DateTime), (time.Duration(l.Seconds*1000) * time.Millisecond).Round(100 * time.Millisecond).String(),
			terminal.Plain(l.Agent, 28), terminal.Plain(l.Client, 28), fmt.Sprint(l.Messages), how, view.Size(l.Bytes),
		})
	}
	if len(rows) == 0 && !asJSON {
		fmt.Fprintln(stderr(), "acpshim: there are no records: run an agent with --record")
	}
	return terminal.Table(out, []string{"RECORD", "BEGUN", "TIME", "AGENT", "CLIENT", "LINES", "END", "SIZE"}, numbers, rows)
}

// shortName is the shortest beginning of a record's name that ends before a dot or
// dash and is that of no other, all being in order.
func shortName(all [][]string, i int) string {
	name := strings.TrimSuffix(filepath.Base(all[i][0]), ".jsonl")
	for at, c := range name {
		if c != '.' && c != '-' {
			continue
		}
		begins := func(j int) bool {
			return j >= 0 && j < len(all) && strings.HasPrefix(filepath.Base(all[j][0]), name[:at])
		}
		if !begins(i-1) && !begins(i+1) {
			return name[:at]
		}
	}
	return name
}

// numbers are the heads of columns whose cells are at their right side.
var numbers = map[string]bool{
	"TIME": true, "LINES": true, "SIZE": true, "SHARE": true, "AT": true, "ANSWERED": true, "FAILED": true, "P50": true, "P95": true,
	"P99": true, "MAX": true, "FIRST TOKEN": true, "TO END": true, "CAME": true, "WENT ON": true, "HITS": true,
}
