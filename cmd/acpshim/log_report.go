package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"acpshim/internal/history/export"
	reporting "acpshim/internal/history/report"
	"acpshim/internal/redact"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newLogReport() *cobra.Command {
	var f finder
	var out string
	var force, full, strict, noRedact bool
	c := &cobra.Command{
		Use:                   "report [RECORD] -o FILE.html",
		DisableFlagsInUseLine: true,
		Long: `Write a record as one HTML file to look at and to give away: a timeline, every message,
the plan at any moment on both sides, what was changed, and latencies. The file needs no
network and no server. Secrets are taken out of it, as far as they can be known.

` + notSeen,
		Args:              atMostOne("RECORD"),
		ValidArgsFunction: f.completeRecord,
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
				if redactor, err = newRedactor(c, strict); err != nil {
					return &exit{1, err, ""}
				}
			}
			parts, err := f.find(name)
			if err != nil {
				return err
			}
			return writeReport(parts, out, force, full, redactor)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the file to write, - for standard output")
	c.Flags().BoolVar(&force, "force", false, "write over a file that is there")
	c.Flags().BoolVar(&full, "full", false, "show messages whole that are longer than 16 KiB")
	c.Flags().BoolVar(&strict, "strict", false, strictUsage)
	c.Flags().BoolVar(&noRedact, "no-redact", false, "leave secrets in it")
	addHelp(c)
	f.addLayers(c)
	return c
}

// writeReport writes the report of a record, with the secrets in it if redactor is
// nil.
func writeReport(parts []string, out string, force, full bool, redactor *redact.Redactor) error {
	if err := keepRecord(parts, out); err != nil {
		return err
	}
	open := recordOpener(parts)
	if err := tellRead(parts, open, true); err != nil {
		return failed(err)
	}
	h, err := export.Read(open, export.Options{Redactor: redactor})
	if err != nil {
		return failed(err)
	}
	o := reporting.Options{Name: filepath.Base(parts[0]), Full: full}
	err = writeFile(out, force, func(w io.Writer) error { return reporting.Write(w, h, o) })
	if err != nil || out == "-" {
		return err
	}
	tellRedacted(redactor)
	secrets := ""
	if redactor == nil {
		secrets = "; secrets are not taken out of it"
	}
	fmt.Fprintf(stderr(), "acpshim: %s has %s%s\n", terminal.Line(out), counted(len(h.Messages), "message", "messages"), secrets)
	return nil
}
