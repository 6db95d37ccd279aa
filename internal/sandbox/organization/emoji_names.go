package organization

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kyokomi/emoji/v2"
)

// standardEmoji returns the code of a standard ("unicode_emoji") emoji by its
// name: its code points in hexadecimal, joined by dashes. The server has names
// of its own for many emoji, which come first; for the rest, the names that
// most chat tools share are those of the server too.
func standardEmoji(name string) (code string, ok bool) {
	code, ok = emojiNames().byName[name]
	return code, ok
}

// isStandardEmojiCode reports whether any standard emoji has the code.
func isStandardEmojiCode(code string) bool { return emojiNames().codes[code] }

// StandardEmojiNames returns every name of each standard emoji, by code.
func StandardEmojiNames() map[string][]string {
	names := map[string][]string{}
	for name, code := range emojiNames().byName {
		names[code] = append(names[code], name)
	}
	for _, all := range names {
		slices.Sort(all)
	}
	return names
}

type emojiTable struct {
	byName map[string]string
	codes  map[string]bool
}

var emojiNames = sync.OnceValue(func() emojiTable {
	table := emojiTable{byName: map[string]string{}, codes: map[string]bool{}}
	for name, characters := range emoji.CodeMap() {
		table.byName[strings.Trim(name, ":")] = emojiCode(characters)
	}
	for code, names := range ownEmojiNames {
		for name := range strings.FieldsSeq(names) {
			table.byName[name] = code
		}
	}
	for _, code := range table.byName {
		table.codes[code] = true
	}
	return table
})

// emojiCode spells characters as the server does: without the selector that
// asks for the coloured form.
func emojiCode(characters string) string {
	const colouredForm = '\ufe0f'
	var points []string
	for _, r := range characters {
		if r != colouredForm {
			points = append(points, fmt.Sprintf("%04x", r))
		}
	}
	return strings.Join(points, "-")
}

// ownEmojiNames holds, by code, the names that the server gives to common
// emoji and that other tools lack or use for another one.
var ownEmojiNames = map[string]string{
	// Faces.
	"1f600": "grinning happy",
	"1f604": "big_smile",
	"263a":  "smile relaxed",
	"1f642": "slight_smile",
	"1f643": "upside_down oops",
	"1f602": "joy tears laughter_tears",
	"1f606": "laughing lol",
	"1f60d": "heart_eyes in_love",
	"1f618": "heart_kiss blow_a_kiss",
	"1f617": "kiss",
	"1f61c": "stuck_out_tongue_wink joking crazy",
	"1f61d": "stuck_out_tongue",
	"1f61b": "mischievous",
	"1f911": "money_face kaching",
	"1f917": "hug arms_open",
	"1f913": "nerd geek",
	"1f921": "clown",
	"1f920": "cowboy",
	"1f60f": "smirk smug",
	"1f614": "pensive tired",
	"1f615": "oh_no half_frown concerned confused",
	"1f641": "frown slight_frown",
	"2639":  "sad big_frown",
	"1f616": "confounded agony",
	"1f62b": "anguish",
	"1f629": "weary distraught",
	"1f621": "rage mad grumpy very_angry",
	"1f636": "speechless no_mouth blank poker_face",
	"1f610": "neutral",
	"1f62e": "open_mouth surprise",
	"1f635": "dizzy",
	"1f633": "flushed embarrassed blushing",
	"1f628": "fear scared shock",
	"1f625": "exhausted disappointed_relieved stressed",
	"1f914": "thinking",
	"1f62c": "grimacing nervous anxious",
	"1f910": "silence quiet hush zip_it lips_are_sealed",
	"1f637": "cant_talk mask",
	"1f912": "sick flu face_with_thermometer",
	"1f915": "hurt head_bandage injured",
	"1f608": "smiling_devil smiling_imp",
	"1f47f": "devil imp angry_devil",
	"1f4a9": "poop pile_of_poo",
	"1f47b": "ghost boo spooky haunted",

	// Hands.
	"1f64c": "raised_hands praise",
	"1f44f": "clap applause",
	"1f64f": "pray welcome thank_you namaste",
	"1f91d": "handshake done_deal",
	"1f44d": "+1 thumbs_up",
	"1f44e": "-1 thumbs_down",
	"1f44a": "fist_bump punch",
	"270c":  "peace_sign victory",
	"1f918": "rock_on sign_of_the_horns",
	"1f44c": "ok got_it",
	"1f446": "point_up this",
	"261d":  "wait_one_second point_of_information asking_a_question",
	"270b":  "hand raised_hand",
	"1f91a": "stop",
	"1f590": "high_five palm",
	"1f596": "spock live_long_and_prosper",
	"1f44b": "wave hello hi",
	"1f919": "call_me",
	"1f440": "eyes looking",
	"1f645": "no_signal nope",
	"1f646": "ok_signal",

	// Work.
	"26cf":  "mine pick",
	"1f6e0": "working_on_it hammer_and_wrench tools",
	"2699":  "gear settings mechanical engineer",
	"1f4c5": "calendar",
	"1f4c6": "date",
	"1f4cb": "clipboard",
	"1f4dd": "memo note",
	"1f4bb": "computer laptop",
	"1f50d": "search find magnifying_glass",
	"1f512": "locked",
	"1f513": "unlocked",
	"1f41b": "bug",
	"1f6a7": "construction",
	"1f6a8": "siren rotating_light alert",
	"1f4c8": "chart upwards_trend growing increasing",
	"1f4c9": "downwards_trend shrinking decreasing",
	"2705":  "check all_good approved",
	"2714":  "check_mark",
	"274c":  "cross_mark incorrect wrong",
	"2753":  "question",
	"2757":  "exclamation",
	"26a0":  "warning caution danger",
	"1f680": "rocket",
	"1f525": "fire lit hot flame",
	"1f4af": "100 hundred",
	"1f389": "tada",
	"1f3c6": "trophy winner",

	// Places, travel, daily life.
	"1f3e0": "house",
	"1f697": "car",
	"1f68c": "bus school_bus",
	"1f686": "train",
	"2708":  "airplane",
	"1f6b2": "bike bicycle",
	"1f334": "palm_tree",
	"1f3d6": "beach",
	"2615":  "coffee",
	"1f37d": "hungry meal table_setting fork_and_knife_with_plate",
	"1f382": "birthday",
	"1f4a4": "zzz",
	"2764":  "heart love love_you",
	"1f494": "broken_heart heartache",
	"2b50":  "star",
	"2600":  "sunny",
	"1f327": "rainy soaked drenched",
}
