package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"acpshim/internal/log/export"
	"acpshim/internal/log/query"
	"acpshim/internal/record/history"
	"acpshim/internal/record/redact"
	"acpshim/internal/record/store"
	"acpshim/internal/record/telemetry"
	"acpshim/internal/run/recording"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/outfile"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// limitsOfRedaction says what people have to know before they share a record.
const limitsOfRedaction = `Secrets are found by name, position and format. Others stay, such as encoded
secrets or parts of them. Read the whole file before you share it.`

// An outputFlags holds the flags of a command that writes a record for others.
type outputFlags struct {
	file                   string
	force, strict, secrets bool
}

func (o *outputFlags) addFlags(c *cobra.Command) {
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to `FILE`; - is standard output")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite an existing FILE")
	c.Flags().BoolVar(&o.strict, "strict", false, "also remove random-looking words (24+ characters)")
	c.Flags().BoolVar(&o.secrets, "no-redact", false, "keep secrets")
}

// redactor returns the redactor, or nil with --no-redact. The error is an exit.
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

// write writes the output for the files of a record. The error is an exit.
func (o *outputFlags) write(files []string, write func(io.Writer) error) error {
	var err error
	switch {
	case o.file == "" || o.file == "-":
		err = write(asItIs())
	case store.Has(files, o.file):
		err = fmt.Errorf("%s is the record itself: write to another file", o.file)
	default:
		err = outfile.Write(o.file, o.force, write)
	}
	if errors.Is(err, outfile.ErrExists) {
		return &exit{1, err, "--force overwrites it"}
	}
	return failed(err)
}

// noteRedacted says what was removed, unless it was only home folders.
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
	var as format
	var endpoint string
	var traces telemetry.Export
	c := &cobra.Command{
		Use:     "export [flags] [FILTER...]",
		Example: "acpshim log export --format txtar -o run.txt",
		Long: `Write a run for others or for other programs, without known secrets:
  jsonl   the record itself, a JSON object per line
  otlp    traces for OpenTelemetry
  trace   a .jsons file for the trace viewer of the official conductor
  txtar   a conversation that "acpshim rules test" plays as a test
` + limitsOfRedaction,
	}
	as.add(c, "jsonl", "otlp", "trace", "txtar")
	c.Flags().StringVar(&endpoint, "endpoint", "", "send otlp to the collector at `URL`")
	c.Flags().BoolVar(&traces.Contents, "contents", false, "include prompts, responses and tool data in otlp")
	to.addFlags(c)
	takeFilter(c, &f, func(q query.Query) error {
		switch {
		case (endpoint != "" || traces.Contents) && as != "otlp":
			return wrongArguments(c, "--endpoint and --contents need --format otlp")
		case endpoint != "" && to.file != "":
			return wrongArguments(c, "want --endpoint or --output, not both")
		}
		files, err := f.find()
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
				return &exit{1, fmt.Errorf("no message matches %s", terminal.Plain(q.String(), 100)), `"acpshim log show" lists all messages`}
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
			switch as {
			case "", "jsonl":
				return export.Copy(w, open, o)
			case "trace":
				return exportTrace(w, open, o)
			}
			h, err := export.Read(open, o)
			if err != nil {
				return err
			}
			if as == "otlp" {
				traces.Redactor = o.Redactor
				return traces.Write(w, h, note)
			}
			return exportTxtar(w, h, o.Redactor != nil)
		})
		if err == nil {
			noteRedacted(o.Redactor)
		}
		return err
	})
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
		note("left out: " + why)
	}
	if files := export.UnknownFiles(h); len(files) > 0 {
		note(fmt.Sprintf("the record does not have the texts of these plan files: %s; to add one, write a section \"-- file PATH --\" before the agent names it", strings.Join(files, ", ")))
	}
	if s := h.Start; s != nil && s.Config != config.Default().Digest() {
		note(`the run used a configuration of its own, which is not in the record: "acpshim rules test --config FILE" plays it with yours`)
		if redacted {
			note("redaction changes session ids: if a rule of yours names one, export with --no-redact")
		}
	}
	text := txtar.Format(archive)
	if len(text) > maxInput {
		note(fmt.Sprintf(`"acpshim rules test" accepts at most %d MiB, and this is more: use a FILTER`, maxInput>>20))
	}
	_, err := w.Write(text)
	return err
}
