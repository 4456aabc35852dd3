package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"acpshim"
	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/history/export"
	"acpshim/internal/history/query"
	"acpshim/internal/outfile"
	"acpshim/internal/recording"
	"acpshim/internal/redact"
	"acpshim/internal/store"
	"acpshim/internal/telemetry"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

var exportFormats = []string{"jsonl", "otlp", "trace", "txtar"}

// notSeen is what people have to know of redaction.
const notSeen = `What has no telling name, place or shape is not known as a secret, nor what is
encoded, or in pieces, such as chunks of a message. Look at what you give away.`

// outputFlags are those of a command that writes a record for others.
type outputFlags struct {
	file                   string
	force, strict, secrets bool
}

func (o *outputFlags) addFlags(c *cobra.Command) {
	c.Flags().StringVarP(&o.file, "output", "o", "", "write `FILE`; - is standard output")
	c.Flags().BoolVar(&o.force, "force", false, "write over a FILE that is there")
	c.Flags().BoolVar(&o.strict, "strict", false, "take out opaque runs of 24 characters and more, too")
	c.Flags().BoolVar(&o.secrets, "no-redact", false, "leave secrets where they are")
}

// redactor returns what takes the secrets out, or nil. The error is an exit.
func (o *outputFlags) redactor(f *finder, unknown string) (*redact.Redactor, error) {
	if o.secrets {
		return nil, nil
	}
	c, err := f.load()
	if err != nil {
		return nil, badConfig(err, unknown)
	}
	r, err := recording.NewRedactor(c, o.strict)
	return r, failed(err)
}

// write writes what the files of a record are read for. The error is an exit.
func (o *outputFlags) write(files []string, write func(io.Writer) error) error {
	var err error
	switch {
	case o.file == "" || o.file == "-":
		err = write(asItIs())
	case store.Has(files, o.file):
		err = fmt.Errorf("%s is the record itself, and stays as it is: want another file", o.file)
	default:
		err = outfile.Write(o.file, o.force, write)
	}
	if errors.Is(err, outfile.ErrExists) {
		return &exit{1, err, "--force writes over it"}
	}
	return failed(err)
}

// noteRedacted says what was taken out, if more than home folders was.
func noteRedacted(r *redact.Redactor) {
	if r == nil {
		return
	}
	if t := r.Tally(); len(t.Kinds) > 1 || len(t.Kinds) == 1 && t.Kinds[redact.Home] == 0 {
		note("redacted: " + t.String())
	}
}

func newExport() *cobra.Command {
	var f finder
	var to outputFlags
	var format, endpoint string
	var traces telemetry.Export
	c := &cobra.Command{
		Use: "export [RECORD] [FILTER...] [--format FORMAT] [-o FILE]",
		Long: `Write a record, or only the messages that match a FILTER, without secrets:
  jsonl   the record again
  otlp    traces for OpenTelemetry, or with --endpoint to a collector
  trace   for the trace viewer of the official conductor (a .jsons file)
  txtar   a conversation that can be played again as a test
` + notSeen,
	}
	c.Flags().StringVar(&format, "format", "jsonl", "`FORMAT` to write: jsonl, otlp, trace or txtar")
	c.Flags().StringVar(&endpoint, "endpoint", "", "post otlp to the collector at `URL`")
	c.Flags().BoolVar(&traces.Contents, "contents", false, "have prompts, answers and data of tools in otlp")
	to.addFlags(c)
	takeFilter(c, &f, func(name string, q query.Query) error {
		if !slices.Contains(exportFormats, format) {
			return wrongUsage(c, fmt.Errorf("--format: want jsonl, otlp, trace or txtar, not %q", format))
		}
		if (endpoint != "" || traces.Contents) && format != "otlp" || endpoint != "" && to.file != "" {
			return wrongUsage(c, errors.New("--endpoint and --contents are for --format otlp, and --endpoint writes no file"))
		}
		files, err := f.find(name)
		if err != nil {
			return err
		}
		open := store.Opener(files)
		var o export.Options
		if !q.Empty() {
			found, err := export.Matching(open, q)
			if err != nil {
				return failed(err)
			}
			if len(found) == 0 {
				return &exit{1, fmt.Errorf("no message of the record matches %s", terminal.Plain(q.String(), 100)), `"acpshim log show" has all of them`}
			}
			o.Keep = func(seq uint64) bool { return found[seq] }
		}
		if o.Redactor, err = to.redactor(&f, ""); err != nil {
			return err
		}
		if err := noteMissing(files, open, false); err != nil {
			return err
		}
		traces.GoesOn = store.IsWritten(files...)
		if endpoint != "" {
			to.file = os.DevNull
			if config, err := f.load(); err != nil {
				return badConfig(err, "")
			} else if traces.Collector, err = recording.NewCollector(config, endpoint); err != nil {
				return wrongUsage(c, fmt.Errorf("--endpoint: %w", err))
			}
		}
		err = to.write(files, func(w io.Writer) error {
			switch format {
			case "otlp":
				return traces.Write(w, open, o, note)
			case "jsonl":
				return export.Copy(w, open, o)
			case "trace":
				return exportTrace(w, open, o)
			}
			h, err := export.Read(open, o)
			if err != nil {
				return err
			}
			return exportTxtar(w, h, o.Redactor != nil)
		})
		if err == nil {
			noteRedacted(o.Redactor)
		}
		return err
	})
	completeWords(c, "format", exportFormats...)
	return c
}

func exportTrace(w io.Writer, open opener, o export.Options) error {
	n, err := export.Trace(w, open, o)
	if n > 0 {
		note("left out, because it is not a message: " + terminal.Count(n, "line", "lines"))
	}
	return err
}

func exportTxtar(w io.Writer, h *history.History, redacted bool) error {
	archive, omitted := export.Txtar(h)
	for _, why := range omitted {
		note("left out, as " + why)
	}
	if files := export.UnknownFiles(h); len(files) > 0 {
		note(fmt.Sprintf("texts of plan files that are not in the record; add a section \"-- file PATH --\" before the agent names it: %s", strings.Join(files, ", ")))
	}
	if s := h.Start; s != nil && s.Config != config.Default(acpshim.DefaultConfig).Digest() {
		note(`the record was not made with the default configuration, of which it has only a digest: "acpshim rules test --config FILE" plays it with yours`)
		if redacted {
			note("if a rule of yours names a session id, --no-redact keeps ids as they were, so that it does the same again")
		}
	}
	text := txtar.Format(archive)
	if len(text) > maxInput {
		note(fmt.Sprintf(`"acpshim rules test" takes up to %d MiB, and this is more: a FILTER makes it less`, maxInput>>20))
	}
	_, err := w.Write(text)
	return err
}
