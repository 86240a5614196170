/// Makes every fsync(2) and fdatasync(2) of this process take this much longer, SQLite's too; 0 for none.
void slow_disk_set_delay(long microseconds);
