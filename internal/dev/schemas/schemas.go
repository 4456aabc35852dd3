// Package schemas makes the schemas that "acpshim log validate" uses from published JSON Schemas,
// and says what changed. Package [schema] describes the form.
package schemas

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/log/validate/schema"
)

// definitions are the rules of a schema by their names.
type definitions map[string]*schema.Rule

// Make returns the schemas of a folder. The folder's name is that of the release, such as 1.20.0,
// and it has v1 and v2. Before is the folder of the release before: clients and agents that do not
// know the new release are assumed to know that one.
func Make(folder, before string) ([]byte, error) {
	var b bytes.Buffer
	for i, version := range []string{"v1", "v2"} {
		stable, unstable, err := read(filepath.Join(folder, version))
		if err != nil {
			return nil, err
		}
		oldStable, oldUnstable, err := read(filepath.Join(before, version))
		if err != nil {
			return nil, err
		}
		keepProxies(unstable, oldUnstable)
		if version != "v1" { // version 2 was a preview until now
			oldStable, oldUnstable = nil, nil
		}
		for name, def := range unstable {
			isShared := reflect.DeepEqual(def, stable[name])
			if def.Method != "" && oldStable != nil && stable[name] != nil && oldStable[name] == nil {
				def.New = []string{def.Method}
			}
			mark(def, stable[name], cmp.Or(oldStable[name], oldUnstable[name]), oldUnstable[name])
			if isShared {
				stable[name] = def
				delete(unstable, name)
			}
		}
		fmt.Fprintf(&b, "%s%q:{\n\"release\":%q,\n", []string{"{", ",\n"}[i], version[1:], filepath.Base(folder))
		write(&b, "stable", stable)
		b.WriteString(",\n")
		write(&b, "unstable", unstable)
		b.WriteString("}")
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// keepProxies adds the messages for proxies that a release has, if the next one has none. They are
// not in the folder of 1.20.0 because of the way in which it was made, but they are in the release.
func keepProxies(defs, before definitions) {
	for name, def := range before {
		if def.Handler == "proxy" && defs[name] == nil {
			defs[name] = def
		}
	}
}

// mark notes which names a rule of the unstable schema has that the same rule of the stable schema
// or of the release before has not, and the other way round. A rule that is not there is not
// compared: what refers to it is marked.
func mark(r, stable, before, beforeUnstable *schema.Rule) {
	if stable != nil {
		r.Draft = without(names(r), names(stable))
	}
	if stable != nil && before != nil {
		r.New = append(r.New, without(without(names(r), r.Draft), names(before))...)
	}
	if beforeUnstable != nil && r.Enum != nil {
		r.Gone = without(names(beforeUnstable), names(r))
	}
	for key, child := range children(r) {
		mark(child, children(stable)[key], children(before)[key], children(beforeUnstable)[key])
	}
}

// names returns the members of a rule, the values that it lists, and the tags. If it lists the tags
// as values of a member, they are not names of the rule.
func names(r *schema.Rule) (names []string) {
	for _, value := range r.Enum {
		if text, ok := value.(string); ok {
			names = append(names, text)
		}
	}
	names = slices.AppendSeq(names, maps.Keys(r.Properties))
	if tag := r.Properties[r.Tag]; tag == nil || tag.Enum == nil {
		names = slices.AppendSeq(names, maps.Keys(r.Of))
	}
	slices.Sort(names)
	return names
}

// without returns the names that are not in a list.
func without(names, list []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(list, name) })
}

// children returns the rules in a rule by their places. The rule may be nil.
func children(r *schema.Rule) map[string]*schema.Rule {
	all := map[string]*schema.Rule{}
	if r == nil {
		return all
	}
	for name, child := range r.Properties {
		all["."+name] = child
	}
	for tag, child := range r.Of {
		all[" "+strconv.Quote(tag)] = child
	}
	for i, child := range slices.Concat(r.Any, r.One) {
		place := "|" + child.Ref
		if child.Ref == "" || all[place] != nil {
			place = "|" + strconv.Itoa(i)
		}
		all[place] = child
	}
	for place, child := range map[string]*schema.Rule{"[]": r.Items, ".*": r.Values, ` "*"`: r.Others} {
		if child != nil {
			all[place] = child
		}
	}
	return all
}

// write writes one definition a line, so that differences are easy to read.
func write(b *bytes.Buffer, name string, defs definitions) {
	fmt.Fprintf(b, "%q:{\"$defs\":{", name)
	for i, name := range slices.Sorted(maps.Keys(defs)) {
		text, _ := json.Marshal(defs[name])
		fmt.Fprintf(b, "%s\n%q:%s", []string{"", ","}[min(i, 1)], name, text)
	}
	b.WriteString("}}")
}

// read returns the definitions that messages need, of both schemas in a folder.
func read(folder string) (stable, unstable definitions, err error) {
	stable, err = readFile(filepath.Join(folder, "schema.json"))
	if err != nil {
		return nil, nil, err
	}
	unstable, err = readFile(filepath.Join(folder, "schema.unstable.json"))
	return stable, unstable, err
}

func readFile(file string) (definitions, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var source struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &source); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defs := definitions{}
	var need func(name string) error
	need = func(name string) error {
		if defs[name] != nil {
			return nil
		}
		text, _ := json.Marshal(strip(source.Defs[name]))
		rule := &schema.Rule{}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(rule); err != nil {
			return fmt.Errorf("%s: %s: %w", file, name, err)
		}
		simplify(rule)
		defs[name] = rule
		return errors.Join(eachRef(rule, need)...)
	}
	err = need("Error")
	for name, def := range source.Defs {
		if def["x-method"] != nil {
			err = errors.Join(err, need(name))
		}
	}
	return defs, err
}

// eachRef calls do with the names of the definitions to which a rule refers.
func eachRef(r *schema.Rule, do func(name string) error) (errs []error) {
	if r.Ref != "" {
		errs = append(errs, do(strings.TrimPrefix(r.Ref, "#/$defs/")))
	}
	for _, child := range children(r) {
		errs = append(errs, eachRef(child, do)...)
	}
	return errs
}
