/// Marks that keep a text's direction from its neighbours (Unicode Standard Annex 9): what is isolated goes on so in the
/// next line of a broken text.
enum Isolates {
    private static let end: Unicode.Scalar = "\u{2069}"

    static func closed(_ lines: [String]) -> [String] {
        var open: [Unicode.Scalar] = []
        return lines.map { line in
            guard !line.utf8.allSatisfy({ $0 < 0x80 }) || !open.isEmpty else { return line }
            var scalars = String.UnicodeScalarView(open)
            for scalar in line.unicodeScalars {
                scalars.append(scalar)
                if (0x2066...0x2068).contains(scalar.value) { open.append(scalar) }
                if scalar == end, !open.isEmpty { open.removeLast() }
            }
            scalars.append(contentsOf: open.map { _ in end })
            return String(scalars)
        }
    }
}
