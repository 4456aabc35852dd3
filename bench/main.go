// Command bench measures what acpshim costs between a client and an agent. It compares nothing, cat
// on both sides, a relay that only copies, and acpshim with several configurations. "go run
// ./bench" runs them in turns and prints one table of medians.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "agent": // the agent of every setup
			exitOn(playAgent(cmp.Or(append(os.Args, "1")[2], "1")))
			return
		case "relay": // the bare relay: relay FILE COMMAND..., with a copy in FILE unless it is ""
			exitOn(bareRelay(os.Args[2], os.Args[3:]))
			return
		}
	}
	rounds := flag.Int("rounds", 5, "how often each measurement is repeated")
	only := flag.String("only", "", "measure `NAME` only, as in the table's first column")
	acpshim := flag.String("acpshim", "", "measure this `BINARY` instead of one built from here")
	flag.Parse()
	exitOn(run(*acpshim, *rounds, *only))
}

// run measures a binary, which is built if it is "", and prints the table.
func run(acpshim string, rounds int, only string) error {
	dir, err := os.MkdirTemp("", "acpshim-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeRules(dir); err != nil {
		return err
	}
	if acpshim == "" {
		acpshim = filepath.Join(dir, "acpshim")
		build := exec.Command("go", "build", "-o", acpshim, "acpshim/cmd/acpshim")
		build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr // as packages have it
		if err := build.Run(); err != nil {
			return fmt.Errorf("building acpshim: %w", err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	t := table{setups: setups(self, acpshim, dir), rounds: rounds}
	for _, m := range measurements {
		if only == "" || only == m.name {
			if err := t.measure(m); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
	}
	return t.print(os.Stdout)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
