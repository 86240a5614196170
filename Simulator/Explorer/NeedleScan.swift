/// Finds which of several short byte sequences occur in a long one, in a single pass over it. It moves on by more than
/// one byte where none of them can begin (S. Wu and U. Manber, "A fast algorithm for multi-pattern searching", 1994,
/// with blocks of two bytes).
struct NeedleScan: Sendable {
    private let needles: [[UInt8]]
    /// The length of the shortest needle with at least two bytes, and of the window that moves over the text.
    private let window: Int
    /// How far the window can move when its last two bytes have this place; 0 when a needle may begin in it.
    private var shifts: [UInt8]
    /// The needles that may begin in a window whose last two bytes have this place.
    private var candidates: [Int: [Int]] = [:]
    /// The needles of fewer than two bytes.
    private let short: [Int]

    private static let places = 4096

    /// Takes the needles. An empty one occurs everywhere.
    init(_ needles: [[UInt8]]) {
        self.needles = needles
        short = needles.indices.filter { needles[$0].count < 2 }
        let long = needles.indices.filter { needles[$0].count >= 2 }
        window = long.map { needles[$0].count }.min() ?? 0
        shifts = [UInt8](repeating: UInt8(clamping: max(1, window - 1)), count: Self.places)
        for index in long {
            let needle = needles[index]
            for end in 1..<window {
                let place = Self.place(needle[end - 1], needle[end])
                shifts[place] = min(shifts[place], UInt8(clamping: window - 1 - end))
            }
            candidates[Self.place(needle[window - 2], needle[window - 1]), default: []].append(index)
        }
    }

    /// Returns the indices of the needles that occur in a text.
    func occurring(in text: [UInt8]) -> Set<Int> {
        var found = Set(short.filter { index in needles[index].first.map { text.contains($0) } ?? true })
        guard window > 0 else { return found }
        text.withUnsafeBufferPointer { text in
            var end = window - 1
            while end < text.count {
                let place = Self.place(text[end - 1], text[end])
                let shift = Int(shifts[place])
                guard shift == 0 else {
                    end += shift
                    continue
                }
                for index in candidates[place] ?? [] where !found.contains(index) {
                    if Self.stands(needles[index], in: text, at: end + 1 - window) { found.insert(index) }
                }
                end += 1
            }
        }
        return found
    }

    /// Two pairs of bytes may have the same place: then the window moves less than it could.
    private static func place(_ first: UInt8, _ second: UInt8) -> Int { (Int(first) << 4 ^ Int(second)) & (places - 1) }

    private static func stands(_ needle: [UInt8], in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard start + needle.count <= text.count else { return false }
        for (offset, byte) in needle.enumerated() where text[start + offset] != byte { return false }
        return true
    }
}
