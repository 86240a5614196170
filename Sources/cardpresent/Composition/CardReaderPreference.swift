internal import Hardware
internal import Yosemite

extension [CardReader] {
    /// The reader to use when none is named. One for chips goes before those for stripes alone, which are used beside
    /// it; among the rest, the one that was used last.
    ///
    /// - Returns: nil when there is none.
    func preferred(_ remembered: [RememberedCardReader]) -> CardReader? {
        let chips = filter { $0.inputs.contains(.insert) }
        let candidates = chips.isEmpty ? self : chips
        let id = remembered.preferred(among: candidates.map(\.id))
        return candidates.first { $0.id == id }
    }
}
