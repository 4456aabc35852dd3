package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"acpshim/internal/run/logging"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/outfile"
	"acpshim/internal/text/terminal"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

func newRules() *cobra.Command {
	return group("rules", `Test rules, and show what they do:
  acpshim rules test FILE...     play conversations, and compare their messages
                                 with the expected ones
  acpshim rules explain [FILE]   show what each rule does with a message`, "acpshim rules test testdata/*.txtar",
		newRulesTest(), newExplain())
}

func newRulesTest() *cobra.Command {
	var f flags
	var update bool
	c := &cobra.Command{
		Use:     "test [flags] FILE...",
		Example: "acpshim rules test testdata/*.txtar",
		Long: `Play conversations through acpshim, without an agent or an editor, and report
where the messages differ from the expected ones. A FILE is a txtar file with
sections. Messages are one per line:
  -- config.toml --     the configuration to test
  -- client --          messages that the client sends
  -- to agent --        what the agent gets; omit this if it gets nothing
  -- agent --           messages that the agent sends
  -- to client --       messages that the client receives
  -- shows --           after "to client": the plan on screen, as in "[x] text"
  -- file PATH --       from here on, the text of the plan file PATH
A FILE with config.toml is tested without your own configuration, any other with
it. Messages are compared byte by byte. The exit status is 1 if a FILE fails.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 0 {
				return wrongArguments(c, "want FILE...")
			}
			failing, unplayed, status := 0, 0, 1
			conversations := terminal.Count(len(names), "conversation", "conversations")
			for _, name := range names {
				same, err := testFile(stdout(), f, name, update)
				switch {
				case err != nil && len(names) == 1:
					return err
				case err != nil:
					unplayed++
					status = max(status, report(stderr(), err))
				case !same:
					failing++
				}
			}
			if unplayed > 0 {
				return &exit{status, fmt.Errorf("%d of %s failed, and %d could not be played", failing, conversations, unplayed), ""}
			}
			if failing > 0 {
				return &exit{1, fmt.Errorf("%d of %s failed", failing, conversations),
					`"acpshim rules explain FILE" shows what each rule did; --update accepts the new messages`}
			}
			return nil
		},
	}
	f.addLayers(c)
	c.Flags().BoolVar(&update, "update", false, "replace the expected messages in each FILE")
	return c
}

// withUpdate replaces -update, the spelling of tests in Go, by --update.
func withUpdate(args []string) []string {
	if len(args) < 2 || args[0] != "rules" || args[1] != "test" {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "-update" {
			args[i] = "--update"
		}
	}
	return args
}

// testFile plays a conversation and writes to w where it differs from the file. With update it
// replaces the file.
func testFile(w io.Writer, f flags, name string, update bool) (same bool, err error) {
	a, err := readTranscript(name)
	if err != nil {
		return false, err
	}
	c, err := f.loadFor(name, a)
	if err != nil {
		return false, badConfig(err, "")
	}
	for _, warning := range c.Warnings() {
		fmt.Fprintln(stderr(), config.Problems{warning})
	}
	went, err := transcript.Play(a, transcriptChain(c, warnings(stderr(), name), nil))
	if err != nil {
		return false, &exit{1, fmt.Errorf("%s: %w", name, err), ""}
	}
	went = transcript.LeaveOut(a, went)
	if update {
		if now := txtar.Format(went); !bytes.Equal(now, txtar.Format(a)) {
			fmt.Fprintf(w, "%s: written\n", terminal.Line(name))
			return true, failed(outfile.Update(name, outfile.Text(now)))
		}
	}
	differences := transcript.Compare(a, went)
	if len(differences) == 0 {
		fmt.Fprintf(w, "%s: ok\n", terminal.Line(name))
	}
	for _, d := range differences {
		d.Write(w, name)
	}
	return len(differences) == 0, nil
}

// readTranscript reads a conversation. The error is an exit.
func readTranscript(name string) (*txtar.Archive, error) {
	text, err := readInput(name, false)
	if err != nil {
		return nil, err
	}
	a := txtar.Parse(text)
	return a, checkTranscript(name, a)
}

func checkTranscript(name string, a *txtar.Archive) error {
	err := transcript.Check(a)
	if err == nil {
		return nil
	}
	hint := ""
	if errors.Is(err, transcript.ErrNoInput) {
		hint = `want a line "-- client --" or "-- agent --", and below it the messages that it sends; "acpshim rules explain" reads single messages from standard input`
	}
	return &exit{1, fmt.Errorf("%s: %w", name, err), hint}
}

// warnings returns a log that writes warnings about the conversation of that name to w.
func warnings(w io.Writer, name string) zerolog.Logger {
	console := logging.Console(w, func(m string) string { return fmt.Sprintf("%s: warning: %s", name, m) })
	console.NoColor, console.PartsOrder = true, []string{"message"}
	return zerolog.New(console).Level(zerolog.WarnLevel)
}
