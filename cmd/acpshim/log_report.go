package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"acpshim/history/export"
	reporting "acpshim/history/report"
	"acpshim/redact"

	"github.com/spf13/cobra"
)

func newLogReport() *cobra.Command {
	var f flags
	var out string
	var force, full, noRedact bool
	c := &cobra.Command{
		Use:                   "report [RECORD] -o FILE.html",
		DisableFlagsInUseLine: true,
		Long: `Write a record as one HTML file to look at and to give away: a timeline, every message,
the plan at any moment on both sides, what was changed, and latencies. The file needs no
network and no server. Secrets are taken out of it, as far as they can be known.

` + notSeen,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRecord,
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return &exit{exitUsage, errors.New("log report: want -o FILE.html"), `"-o -" writes to standard output`}
			}
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			var redactor *redact.Redactor
			if !noRedact {
				c, err := f.load()
				if err != nil {
					return badConfig(err, ": what is secret is not known")
				}
				if redactor, err = newRedactor(c); err != nil {
					return &exit{1, err, ""}
				}
			}
			return writeReport(name, out, force, full, redactor)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the file to write, - for standard output")
	c.Flags().BoolVar(&force, "force", false, "write over a file that is there")
	c.Flags().BoolVar(&full, "full", false, "show messages whole that are longer than 16 KiB")
	c.Flags().BoolVar(&noRedact, "no-redact", false, "leave secrets in it")
	f.addLayers(c)
	c.Flags().BoolP("help", "h", false, "print this")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &exit{exitUsage, err, `"acpshim log report -h" shows how it is used`}
	})
	return c
}

// writeReport reads the record that a person named and writes its report, with
// the secrets in it if redactor is nil.
func writeReport(name, out string, force, full bool, redactor *redact.Redactor) error {
	file, err := findRecord(name)
	if err != nil {
		return failed(err)
	}
	open, err := recordOpener(file)
	if err != nil {
		return err
	}
	if err := tellRead(open, true); err != nil {
		return failed(err)
	}
	h, err := export.Read(open, export.Options{Redactor: redactor})
	if err != nil {
		return failed(err)
	}
	o := reporting.Options{Name: filepath.Base(file), Full: full}
	err = writeFile(out, force, func(w io.Writer) error { return reporting.Write(w, h, o) })
	if err != nil || out == "-" {
		return err
	}
	secrets := ""
	if redactor == nil {
		secrets = "; secrets are not taken out of it"
	}
	fmt.Fprintf(os.Stderr, "acpshim: %s has %d messages%s\n", out, len(h.Messages), secrets)
	return nil
}
