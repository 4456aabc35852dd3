package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"acpshim/internal/log/view"
	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newList() *cobra.Command {
	var f finder
	var to format
	c := &cobra.Command{
		Use:     "list [flags]",
		Example: "acpshim log list",
		Long: `List the recorded runs, the newest last: name, start, duration, agent, client,
number of messages, how the run ended, what went wrong, and what is missing. "?"
means that the end of the record does not say it. --run of the other commands
accepts the name.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := f.records()
			if err != nil {
				return failed(err)
			}
			out := terminal.Stdout(false)
			return failed(out.Close(list(out, all, max(out.Style.Width, 80), !to.isText())))
		},
	}
	to.add(c, "text", "json")
	f.addLayers(c)
	return c
}

func list(w io.Writer, records [][]string, columns int, asJSON bool) error {
	var listed []view.Run
	for i, files := range records {
		l, err := view.ReadRun(files)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
		case err != nil:
			fmt.Fprintf(stderr(), "acpshim: %v\n", err)
		case asJSON:
			if err := writeJSON(w, l); err != nil {
				return err
			}
		default:
			l.Short = store.ShortName(records, i)
			listed = append(listed, l)
		}
	}
	if len(listed) == 0 && !asJSON {
		note("there are no records: run an agent with --record")
	}
	_, err := io.WriteString(w, strings.Join(view.RunRows(listed, columns), ""))
	return err
}
