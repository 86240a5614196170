// Made by Scripts/generate from Sources/Networking/Models/Notifications/SuccessResult.swift: change that, not this.
extension SuccessResult {
    /// The same with other values for what is given; what is nil stays.
    public func copy(success: Bool? = nil) -> SuccessResult {
        SuccessResult(success: success ?? self.success)
    }
}
