package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"acpshim/internal/browser"
	"acpshim/internal/history/export"
	reporting "acpshim/internal/history/report"
	"acpshim/internal/store"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newReport() *cobra.Command {
	var f finder
	var to outputFlags
	var full bool
	c := &cobra.Command{
		Use: "report [RECORD] -o FILE.html",
		Long: `Write a record as one HTML file to look at and to give away: a timeline, every message,
the plan at any moment on both sides, what was changed, and latencies. The file needs no
network and no server. Secrets are taken out of it, as far as they can be known.

` + notSeen,
		Args:              atMostOne("RECORD"),
		ValidArgsFunction: f.completeRecord,
		RunE: func(_ *cobra.Command, args []string) error {
			if to.file == "" {
				return &exit{exitUsage, errors.New("log report: want -o FILE.html"), `"-o -" writes to standard output; "acpshim log open" shows it in a browser`}
			}
			return f.report(strings.Join(args, ""), &to, full)
		},
	}
	to.addFlags(c)
	c.Flags().BoolVar(&full, "full", false, "show messages whole that are longer than 16 KiB")
	f.addLayers(c)
	return c
}

func newOpen() *cobra.Command {
	var f finder
	var full bool
	c := &cobra.Command{
		Use: "open [RECORD]",
		Long: `Write a record as "acpshim log report" does, without its secrets, to a file that
only you can read, open that in $BROWSER or the browser of the desktop, and print
its path. The next one a day later removes it. A browser that cannot read it
there, as in a snap, opens what "acpshim log report -o" writes.`,
		Args:              atMostOne("RECORD"),
		ValidArgsFunction: f.completeRecord,
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := store.NewReport(time.Now())
			if err != nil {
				return failed(err)
			}
			to := outputFlags{file: path}
			if err := f.report(strings.Join(args, ""), &to, full); err != nil {
				return err
			}
			fmt.Fprintln(stdout(), terminal.Line(to.file))
			if err := browser.Open(to.file); err != nil {
				note(err.Error() + "; open the file yourself")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&full, "full", false, "show messages whole that are longer than 16 KiB")
	f.addLayers(c)
	return c
}

// report writes the report of the record that a person named. The error is an exit.
func (f *finder) report(name string, to *outputFlags, full bool) error {
	redactor, err := to.redactor(f, ": what is secret is not known")
	if err != nil {
		return err
	}
	files, err := f.find(name)
	if err != nil {
		return err
	}
	open := store.Opener(files)
	if err := noteMissing(files, open, true); err != nil {
		return err
	}
	h, err := export.Read(open, export.Options{Redactor: redactor})
	if err != nil {
		return failed(err)
	}
	o := reporting.Options{Name: filepath.Base(files[0]), Full: full}
	err = to.write(files, func(w io.Writer) error { return reporting.Write(w, h, o) })
	if err != nil || to.file == "-" {
		return err
	}
	noteRedacted(redactor)
	secrets := ""
	if redactor == nil {
		secrets = "; secrets are not taken out of it"
	}
	note(fmt.Sprintf("%s has %s%s", to.file, terminal.Count(h.Sent(), "message", "messages"), secrets))
	return nil
}
