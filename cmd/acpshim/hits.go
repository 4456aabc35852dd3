package main

import (
	"fmt"
	"io"

	"acpshim/filters/rule"
)

// printHits says of all rules how often they matched.
func printHits(w io.Writer, hits []rule.Hit) {
	for _, hit := range hits {
		times := fmt.Sprintf("matched %d times", hit.Count)
		switch {
		case hit.Count == 0 && hit.Off:
			times = "is off"
		case hit.Count == 1:
			times = "matched once"
		}
		fmt.Fprintf(w, "acpshim: rule %q %s\n", hit.Rule, times)
	}
}
