package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// A table collects figures: rows by name, a column for each setup.
type table struct {
	setups []setup
	rounds int
	order  []string
	rows   map[string][][]float64 // the rounds of each setup
}

// measure runs a measurement in rounds. Each round runs all setups in turn, so that other load on
// the machine affects all of them.
func (t *table) measure(m measurement) error {
	rounds := t.rounds
	if m.once {
		rounds = 1
	}
	for range rounds {
		for i, s := range t.setups {
			f, err := m.run(s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			for _, name := range slices.Sorted(maps.Keys(f)) {
				t.add(name, i, f[name])
			}
		}
	}
	return nil
}

// add adds a figure of a setup to a row.
func (t *table) add(name string, column int, v float64) {
	if t.rows == nil {
		t.rows = map[string][][]float64{}
	}
	if t.rows[name] == nil {
		t.rows[name] = make([][]float64, len(t.setups))
		t.order = append(t.order, name)
	}
	t.rows[name][column] = append(t.rows[name][column], v)
}

// print writes the medians. Below each row of times and rates it writes the ratios to the bare
// relay and to acpshim's default: the medians over the rounds.
func (t *table) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "\t")
	for _, s := range t.setups {
		fmt.Fprintf(tw, "%s\t", s.name)
	}
	fmt.Fprintln(tw)
	for _, name := range t.order {
		row := t.rows[name]
		fmt.Fprintf(tw, "%s\t", name)
		for _, v := range row {
			fmt.Fprintf(tw, "%s\t", number(median(v)))
		}
		fmt.Fprintln(tw)
		if strings.Contains(name, "RSS") {
			continue
		}
		for _, to := range []string{"bare", "old"} {
			base := row[slices.IndexFunc(t.setups, func(s setup) bool { return s.name == to })]
			fmt.Fprintf(tw, "to %s\t", to)
			for _, v := range row {
				var ratios []float64
				for i := range v {
					ratios = append(ratios, v[i]/base[i])
				}
				fmt.Fprintf(tw, "%.2f\t", median(ratios))
			}
			fmt.Fprintln(tw)
		}
	}
	return tw.Flush()
}

// number formats v with three digits, or with all digits before the point.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
