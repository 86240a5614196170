/// Finds the name that somebody probably meant when they typed an unknown one.
public enum NearestName {
    /// The name among `known` that takes the fewest edits to reach, when these are few: at most two,
    /// or a third of the letters typed. Letter case costs nothing.
    public static func to(_ typed: String, among known: some Sequence<String>) -> String? {
        // What is longer than any name is no slip of the fingers.
        guard typed.count <= 64 else { return nil }
        let allowed = max(1, min(2, typed.count - 1), typed.count / 3)
        return known.map { (name: $0, distance: distance(typed.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= allowed }
            .min { $0.distance < $1.distance }?.name
    }

    /// Levenshtein's distance: insertions, deletions and replacements of one character.
    private static func distance(_ first: String, _ second: String) -> Int {
        let columns = Array(second)
        var row = Array(0...columns.count)
        for (index, character) in first.enumerated() {
            var diagonal = index
            row[0] = index + 1
            for column in columns.indices {
                let replaced = diagonal + (columns[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[columns.count]
    }
}
