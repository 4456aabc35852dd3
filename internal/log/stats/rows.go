package stats

import "strings"

// Rows is a list of values, each with a key. The zero value is empty.
type Rows[T any] struct {
	at  map[string]int // indexes by key
	all []T
}

// Of returns the row with a key. If the key is new, it adds fresh.
func (r *Rows[T]) Of(fresh T, key ...string) *T {
	k := strings.Join(key, "\x00")
	i, known := r.at[k]
	if !known {
		if r.at == nil {
			r.at = map[string]int{}
		}
		i = len(r.all)
		r.at[k] = i
		r.all = append(r.all, fresh)
	}
	return &r.all[i]
}

// All returns the rows in the order in which they were added. It is never nil.
func (r *Rows[T]) All() []T { return append([]T{}, r.all...) }
