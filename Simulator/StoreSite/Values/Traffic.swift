/// How many people look at a site, day by day: repeatable, with fewer at night and more at the weekend.
struct Traffic: Hashable, Sendable {
    let seed: UInt64

    /// The visitors and page views of an hour of the wall clock, counted from 1970-01-01T00.
    func hour(_ index: Int64) -> (visitors: Int64, views: Int64) {
        var word = seed &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        word ^= word >> 31
        let hour = ((index % 24) + 24) % 24
        let isNight = hour < 7
        let visitors = Int64(word % (isNight ? 2 : 6))
        return (visitors, visitors * Int64(1 + word >> 32 % 4))
    }

    /// The same of a span of hours; of a span longer than ten years its end.
    func hours(_ range: Range<Int64>) -> (visitors: Int64, views: Int64) {
        var sum = (visitors: Int64(0), views: Int64(0))
        for index in range.suffix(87_840) {
            let hour = hour(index)
            sum = (sum.visitors + hour.visitors, sum.views + hour.views)
        }
        return sum
    }
}
