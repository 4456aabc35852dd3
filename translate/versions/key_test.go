package versions

import (
	"fmt"
	"testing"
)

// The key that was not used for longest is forgotten, and no other one.
func TestOnlyTheOldestKeyIsForgotten(t *testing.T) {
	var k keys
	for i := range maxKeys {
		k.add(fmt.Sprint("key", i), fmt.Sprint(i))
	}
	if got := k.use("key0"); got != "0" {
		t.Errorf("key0 has %q", got)
	}
	k.add("new", "new")
	for key, want := range map[string]string{"key0": "0", "key1": "", "key2": "2", "key63": "63", "new": "new"} {
		if got := k.use(key); got != want {
			t.Errorf("%s has %q, want %q", key, got, want)
		}
	}
}
