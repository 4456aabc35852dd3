package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"acpshim/internal/log/export"
	reporting "acpshim/internal/log/report"
	"acpshim/internal/record/store"
	"acpshim/internal/system/state"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newOpen() *cobra.Command {
	var f finder
	var to outputFlags
	var full bool
	c := &cobra.Command{
		Use:     "open [flags]",
		Example: "acpshim log open",
		Long: `Show a run in a browser, as one HTML file without known secrets: a timeline,
every message, the plan at any moment on both sides, changes, and response
times. The file needs no network. Only you can read it. After a day, the next
"acpshim log open" deletes it. It has what was recorded until now; to follow a
run, use "acpshim log watch". With -o it is written to FILE for others, and no
browser opens. $BROWSER names the browser.

` + limitsOfRedaction,
		Args: noRecord,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if to.file != "" {
				return f.report(&to, full)
			}
			if to.secrets {
				return wrongArguments(c, "--no-redact needs --output")
			}
			if to.file, err = state.NewReport(time.Now()); err != nil {
				return failed(err)
			}
			if err := f.report(&to, full); err != nil {
				return err
			}
			fmt.Fprintln(stdout(), terminal.Line(to.file))
			if err := openBrowser(to.file); err != nil {
				note(err.Error() + "; open the file yourself")
			}
			return nil
		},
	}
	to.addFlags(c)
	c.Flags().BoolVar(&full, "full", false, "include messages over 16 KiB in full")
	f.addRun(c)
	return c
}

// report writes the record as an HTML file. The error is an exit.
func (f *finder) report(to *outputFlags, full bool) error {
	redactor, err := to.redactor(f, ", so secrets cannot be removed")
	if err != nil {
		return err
	}
	files, err := f.find()
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
	o := reporting.Options{Name: filepath.Base(files[0]), GoesOn: store.IsWritten(files...), Full: full}
	err = to.write(files, func(w io.Writer) error { return reporting.Write(w, h, o) })
	if err != nil {
		return err
	}
	noteRedacted(redactor)
	if to.file == "-" {
		return nil
	}
	secrets := ""
	if redactor == nil {
		secrets = "; its secrets are in it"
	}
	note(fmt.Sprintf("%s has %s%s", to.file, terminal.Count(h.Sent(), "message", "messages"), secrets))
	return nil
}
