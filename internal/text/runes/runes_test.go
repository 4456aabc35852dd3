package runes

import (
	"testing"
	"unicode/utf8"
)

func TestBefore(t *testing.T) {
	for n, want := range []int{0, 1, 1, 3, 3, 3, 3, 7} {
		if got := Before("aé😀", n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
	if got := Before("😀", 3); got != 0 {
		t.Errorf("in the first character: %d", got)
	}
	if got := Before("\x80\x80\x80\x80\x80\x80\x80\x80", 6); got != 6 {
		t.Errorf("no UTF-8: %d", got)
	}
}

func TestWhole(t *testing.T) {
	const text = "aé😀\x80\x80"
	for n, want := range []int{0, 1, 1, 3, 3, 3, 3, 7, 8, 9} {
		if got := Whole([]byte(text)[:n]); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
	for n := range utf8.UTFMax {
		if got := Whole([]byte("\x80\x80\x80\x80")[:n]); got != n {
			t.Errorf("%d bytes that are not UTF-8: %d", n, got)
		}
	}
}
