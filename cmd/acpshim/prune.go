package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/record/store"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newPrune() *cobra.Command {
	var f finder
	var keep size
	var days int
	var dry bool
	c := &cobra.Command{
		Use:     "prune [flags]",
		Example: "acpshim log prune --keep 100MB --dry-run",
		Long: `Delete old records: those over record.keep_days, then the oldest ones until the
rest fits into record.keep_bytes. The flags override these limits. A run with
--record does the same when it begins. Other files stay.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if days < 0 {
				return wrongUsage(c, fmt.Errorf("--days: want a number of days, not %d", days))
			}
			effective, err := f.load()
			if err != nil {
				return badConfig(err, ", so nothing was deleted")
			}
			bytesBy, daysBy := "--keep", "--days"
			if !c.Flags().Changed("keep") {
				keep, bytesBy = size(effective.Record.KeepBytes), "record.keep_bytes"
			}
			if !c.Flags().Changed("days") {
				days, daysBy = effective.Record.KeepDays, "record.keep_days"
			}
			folder, _, err := store.Folder(effective.Record.Folder)
			if err != nil {
				return failed(err)
			}
			total, age := terminal.Size(int64(keep)), fmt.Sprintf("up to %dd old", days)
			if keep == 0 {
				total = "any size"
			}
			if days == 0 {
				age = "of any age"
			}
			note(fmt.Sprintf("limits: %s (%s), %s (%s)", total, bytesBy, age, daysBy))
			return prune(folder, store.Limits{Bytes: int64(keep), Age: time.Duration(min(days, 1e5)) * 24 * time.Hour, DryRun: dry})
		},
	}
	c.Flags().Var(&keep, "keep", "keep at most `SIZE`, such as 200MB; 0 means no limit")
	c.Flags().IntVar(&days, "days", 0, "delete records that are over `N` days old; 0 means no limit")
	c.Flags().BoolVar(&dry, "dry-run", false, "only print what would be deleted")
	f.addLayers(c)
	return c
}

func prune(folder string, l store.Limits) error {
	pruned, err := store.Prune(folder, l)
	if errors.Is(err, fs.ErrNotExist) {
		note("there are no records in " + folder)
		return nil
	}
	for _, path := range pruned.Paths {
		fmt.Fprintln(stdout(), terminal.Line(path))
	}
	does := "deleted"
	if l.DryRun {
		does = "would delete"
	}
	note(fmt.Sprintf("%s %s in %d of %s", does, terminal.Size(pruned.Bytes), len(pruned.Paths), terminal.Count(pruned.Files, "file", "files")))
	return failed(err)
}

// A size is the value of a flag: a number of bytes.
type size int64

var units = map[string]float64{"": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1 << 10, "m": 1e6, "mb": 1e6, "mib": 1 << 20, "g": 1e9, "gb": 1e9, "gib": 1 << 30}

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	number := strings.TrimRight(text, "bBkKmMgGiI ")
	n, err := strconv.ParseFloat(number, 64)
	unit, known := units[strings.ToLower(strings.TrimSpace(text[len(number):]))]
	if err != nil || !known || !(n >= 0 && n*unit < 1<<60) {
		return fmt.Errorf("want a size such as 200MB, 1.5GB or 0, not %q", text)
	}
	*s = size(n * unit)
	return nil
}

func (*size) String() string { return "0" }

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }
