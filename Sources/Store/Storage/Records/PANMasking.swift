/// Removes card numbers from text of unknown origin, such as a host's error message.
enum PANMasking {
    /// Masks every run of 12 or more digits except its last four, since it may be a card number. Single spaces and
    /// hyphens between digits do not end a run.
    static func masked(_ text: String) -> String {
        var characters = Array(text)
        var run: [Int] = []
        func maskRun() {
            if run.count >= 12 {
                for place in run.dropLast(4) { characters[place] = "*" }
            }
            run.removeAll()
        }
        for (place, character) in characters.enumerated() {
            if character.wholeNumberValue != nil {
                run.append(place)
            } else if character != " " && character != "-" || run.last != place - 1 {
                maskRun()
            }
        }
        maskRun()
        return String(characters)
    }
}
