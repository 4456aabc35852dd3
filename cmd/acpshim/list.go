package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"acpshim/internal/history/listing"
	"acpshim/internal/store"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newList() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use: "list [--json]",
		Long: `List the records, the newest last: the beginning of the name, when it began and how long
it went on, agent, client, messages, how it ended and what is missing at first sight.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := f.records()
			if err != nil {
				return failed(err)
			}
			out := terminal.Stdout(false)
			return failed(out.Close(list(out, all, asJSON)))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object a line")
	f.addLayers(c)
	return c
}

func list(w io.Writer, records [][]string, asJSON bool) error {
	var listed []listing.Record
	for i, files := range records {
		l, err := listing.Look(files)
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
	return listing.Write(w, listed)
}
