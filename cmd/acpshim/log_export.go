package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"acpshim"
	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/history/export"
	"acpshim/internal/history/query"
	"acpshim/internal/redact"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

var exportFormats = []string{"jsonl", "trace", "txtar"}

// notSeen is what people have to know of redaction.
const notSeen = `What has no telling name, place or shape is not known as a secret, nor what is
encoded, or in pieces: over several chunks of a message, or several writes to
standard error. Look at what you give away.`

const strictUsage = "take out opaque runs of 24 characters and more, too: hashes, UUIDs, base64"

// tellRedacted says what was taken out, in a line, if more than home folders was.
func tellRedacted(r *redact.Redactor) {
	if r == nil {
		return
	}
	if t := r.Tally(); len(t.Kinds) > 1 || len(t.Kinds) == 1 && t.Kinds[redact.Home] == 0 {
		fmt.Fprintf(stderr(), "acpshim: redacted: %s\n", t)
	}
}

func newLogExport() *cobra.Command {
	var f finder
	var format, file string
	var secrets, strict, force bool
	c := &cobra.Command{
		Use: "export [RECORD] [FILTER...] [--format jsonl|trace|txtar] [--strict] [-o FILE]",
		Long: `Write a record for others, without its secrets:
  jsonl   the record again
  trace   for the trace viewer of the official conductor (a .jsons file)
  txtar   a conversation that can be played again as a test
With FILTER, only messages that match it are written, without stderr and events.

` + notSeen,
	}
	c.Flags().StringVar(&format, "format", "jsonl", "`FORMAT` to write: jsonl, trace or txtar")
	c.Flags().StringVarP(&file, "output", "o", "", "write `FILE`, not standard output (-)")
	c.Flags().BoolVar(&force, "force", false, "write over FILE if it is there")
	c.Flags().BoolVar(&secrets, "no-redact", false, "leave secrets where they are")
	c.Flags().BoolVar(&strict, "strict", false, strictUsage)
	takeFilter(c, &f, func(name string, q query.Query) error {
		if !slices.Contains(exportFormats, format) {
			return wrongUsage(c, fmt.Errorf("--format: want jsonl, trace or txtar, not %q", format))
		}
		parts, err := f.find(name)
		if err != nil {
			return err
		}
		if err := keepRecord(parts, file); err != nil {
			return err
		}
		open := recordOpener(parts)
		var o export.Options
		if !q.Empty() {
			found, err := matching(open, q)
			if err != nil {
				return failed(err)
			}
			if len(found) == 0 {
				return &exit{1, fmt.Errorf("no message of the record matches %s", terminal.Plain(q.String(), 100)), `"acpshim log show" has all of them`}
			}
			o.Keep = func(seq uint64) bool { return found[seq] }
		}
		var effective config.Config
		if !secrets {
			if effective, err = f.load(); err != nil {
				return badConfig(err, "")
			}
			if o.Redactor, err = newRedactor(effective, strict); err != nil {
				return &exit{exitFailure, err, ""}
			}
		}
		if err := tellRead(parts, open, false); err != nil {
			return failed(err)
		}
		err = writeFile(file, force, func(w io.Writer) error { return exportAs(w, format, open, o, effective) })
		if err == nil {
			tellRedacted(o.Redactor)
		}
		return err
	})
	completeWith(c, "format", func(string) ([]string, cobra.ShellCompDirective) { return exportFormats, noFiles })
	return c
}

// failed is the exit for an error of reading or writing, unless it is one already.
func failed(err error) error {
	if e := (*exit)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	return &exit{1, err, ""}
}

// matching are the records that a filter means: with a message that was
// changed, what it became, and the other way.
func matching(open func() (io.ReadCloser, error), q query.Query) (found map[uint64]bool, err error) {
	h, err := export.Read(open, export.Options{})
	if err != nil {
		return nil, err
	}
	found = map[uint64]bool{}
	meant := q.In(h)
	for _, m := range h.Messages {
		if meant(m) {
			found[m.Seq], found[m.Message.Of] = true, true
		}
	}
	for _, m := range h.Messages {
		if of := m.Message.Of; of > 0 && found[of] {
			found[m.Seq] = true
		}
	}
	delete(found, 0)
	return found, nil
}

func exportAs(w io.Writer, format string, open func() (io.ReadCloser, error), o export.Options, c config.Config) error {
	if format == "jsonl" {
		return export.Copy(w, open, o)
	}
	h, err := export.Read(open, o)
	if err != nil {
		return err
	}
	if format == "trace" {
		n, err := export.Trace(w, h.Messages)
		if n > 0 {
			fmt.Fprintf(stderr(), "acpshim: left out, as it is no message: %s\n", counted(n, "line", "lines"))
		}
		return err
	}
	if o.Redactor != nil {
		if err := renameMessages(h, c); err != nil {
			return err
		}
	}
	archive, omitted := export.Txtar(h)
	tellOmitted(stderr(), omitted)
	if files := filePlans(h); len(files) > 0 {
		fmt.Fprintf(stderr(), "acpshim: texts of plan files are not in a record; add a section \"-- file PATH --\" before the agent names it: %s\n", strings.Join(files, ", "))
	}
	if s := h.Start; s != nil && !isDefault(s.Config) {
		fmt.Fprintf(stderr(), "acpshim: the record was not made with the default configuration, of which it has only a digest: %q plays it with yours\n", "acpshim rules test --config FILE")
		if o.Redactor != nil {
			fmt.Fprintln(stderr(), "acpshim: if a rule of yours names a session id, --no-redact keeps ids as they were, so that it does the same again")
		}
	}
	text := txtar.Format(archive)
	if len(text) > maxTranscript {
		note(fmt.Sprintf(`"acpshim rules test" takes up to %d MiB, and this is more: a FILTER makes it less`, maxTranscript>>20))
	}
	_, err = w.Write(text)
	return err
}

// isDefault reports whether a digest is that of the default configuration.
func isDefault(digest string) bool {
	return digest == configDigest(config.Default(acpshim.DefaultConfig))
}

// tellOmitted says what is left out, a line for each reason.
func tellOmitted(w io.Writer, omitted []export.Omission) {
	const most = 5 // numbers that are told
	var reasons []string
	at := map[string][]string{}
	for _, o := range omitted {
		if at[o.Why] == nil {
			reasons = append(reasons, o.Why)
		}
		at[o.Why] = append(at[o.Why], fmt.Sprintf("#%d", o.Seq))
	}
	for _, why := range reasons {
		which := at[why]
		more := ""
		if len(which) > most {
			more = fmt.Sprintf(" and %d more", len(which)-most)
		}
		fmt.Fprintf(w, "acpshim: left out, as %s: %s%s\n", why, strings.Join(which[:min(len(which), most)], " "), more)
	}
}

// filePlans are the URIs of the plan files that the agent named, quoted.
func filePlans(h *history.History) (uris []string) {
	plan := wire.Pointer{"params", "update", "plan"}
	for _, m := range h.Messages {
		if m.Update != "plan_update" || !m.Message.Received() {
			continue
		}
		p, err := wire.Parse(plan.Raw(m.JSON))
		if kind, _ := p.Text("type"); err != nil || kind != "file" {
			continue
		}
		uri, _ := p.Text("uri")
		if uri = fmt.Sprintf("%q", uri); !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	return uris
}
