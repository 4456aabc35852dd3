package view

import (
	"slices"
	"testing"
)

func TestNumbers(t *testing.T) {
	var n Numbers
	rest := n.Take([]string{"17", "x", "#3", "20..22", "9..8", "20270304", `"5"`, "-5", "1..", "..2"})
	if want := []string{"x", "9..8", "20270304", `"5"`, "-5", "1..", "..2"}; !slices.Equal(rest, want) {
		t.Errorf("left are %q", rest)
	}
	var has []uint64
	for seq := range uint64(30) {
		if n.Has(seq) {
			has = append(has, seq)
		}
	}
	if want := []uint64{3, 17, 20, 21, 22}; !slices.Equal(has, want) || n.String() != "17, 3, 20..22" {
		t.Errorf("they are %d, called %s", has, n)
	}
}
