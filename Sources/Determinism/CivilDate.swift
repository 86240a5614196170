/// A calendar date and a time of day, as a clock on the wall shows them.
public struct CivilDate: Hashable, Sendable {
    public let year: Int
    /// 1...12
    public let month: Int
    /// 1...31
    public let day: Int
    /// 0...23
    public let hour: Int
    /// 0...59
    public let minute: Int
    /// 0...59
    public let second: Int

    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }
}
