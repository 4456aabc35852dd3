package report

import (
	"reflect"

	"acpshim/internal/log/view"
)

// A story is the part of the summary of a record that a page shows.
type story struct {
	view.Summary
	More omissions `json:"more"`
}

// omissions are how much of each list is left out.
type omissions struct {
	Turns    int `json:"turns,omitzero"`
	Plans    int `json:"plans,omitzero"`
	Changes  int `json:"changes,omitzero"`
	Wrong    int `json:"wrong,omitzero"`
	Findings int `json:"findings,omitzero"`
}

// maxListed bounds each list of a story.
const maxListed = 200

func (b *builder) story(summary view.Summary) *story {
	s := &story{Summary: summary}
	s.Turns, s.More.Turns = first(s.Turns)
	s.Failed = nil // they are in Wrong
	s.Wrong, s.More.Wrong = first(s.Wrong)
	s.Plans, s.More.Plans = first(s.Plans)
	s.Changes, s.More.Changes = first(s.Changes)
	s.Valid.Gaps = nil // they are rows
	s.Valid.Findings, s.More.Findings = first(s.Valid.Findings)
	s.Valid.Groups = nil
	s.Command, _ = first(s.Command)
	b.shorten(reflect.ValueOf(s).Elem())
	return s
}

// first is the beginning of a list, and how much of the list is left out.
func first[T any](all []T) ([]T, int) {
	n := min(len(all), maxListed)
	return all[:n], len(all) - n
}

// shorten shortens all texts of a value to names, because peers wrote most of them.
func (b *builder) shorten(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(b.short(v.String()))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			b.shorten(field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			b.shorten(v.Index(i))
		}
	case reflect.Pointer:
		b.shorten(v.Elem())
	}
}
