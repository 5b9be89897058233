// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: "rdma statistic show".
 */
#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "gsi/gsi.h"
#include "hyvs/hyvs.h"

#define FIRST_OF_GSI	(HYVS_STATS + ENG_STATS)
#define ALL_STATS	(FIRST_OF_GSI + GSI_COUNTERS)

/* As files in sysfs have it. */
#define STATS_LIFESPAN	msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN)

static const struct rdma_stat_desc hyvs_stat_descs[] = {
	[HYVS_STAT_FAULTS].name = "doorbell_faults",
	[HYVS_STAT_ASSISTS].name = "doorbell_assists",
	[HYVS_STAT_PARKS].name = "worker_parks",
	[HYVS_STAT_SLEEPS].name = "worker_sleeps",
	[HYVS_STATS + ENG_STAT_REQUESTS].name = "requests",
	[HYVS_STATS + ENG_STAT_BYTES].name = "request_bytes",
	[HYVS_STATS + ENG_STAT_RNR_WAITS].name = "rnr_waits",
	[HYVS_STATS + ENG_STAT_RETRIES].name = "retries",
	[HYVS_STATS + ENG_STAT_ERRORS].name = "request_errors",
	GSI_STAT_DESCS(FIRST_OF_GSI),
};

static_assert(ARRAY_SIZE(hyvs_stat_descs) == ALL_STATS);

struct rdma_hw_stats *hyvs_alloc_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(hyvs_stat_descs, ALL_STATS,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

void hyvs_stats_init(struct hyvs_device *dev)
{
	spin_lock_init(&dev->eng_stats_lock);
	dev->eng_stats_until = jiffies;
}

/*
 * Anybody may ask, as often as netlink allows, and the engine looks at all workers
 * with a lock held that they need.
 */
static void hyvs_read_eng_stats(struct hyvs_device *dev, u64 *values)
{
	spin_lock(&dev->eng_stats_lock);
	if (time_after_eq(jiffies, dev->eng_stats_until)) {
		eng_stats(dev->eng, dev->eng_stats);
		dev->eng_stats_until = jiffies + STATS_LIFESPAN;
	}
	memcpy(values, dev->eng_stats, sizeof(dev->eng_stats));
	spin_unlock(&dev->eng_stats_lock);
}

int hyvs_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
		   int index)
{
	struct hyvs_device *dev = to_hyvs_device(ib);
	unsigned int i;

	if (!port)
		return -EOPNOTSUPP;
	for (i = 0; i < HYVS_STATS; i++)
		stats->value[i] = atomic64_read(&dev->stats[i]);
	hyvs_read_eng_stats(dev, &stats->value[HYVS_STATS]);
	gsi_read_counters(&dev->gsi_port, &stats->value[FIRST_OF_GSI]);
	return ALL_STATS;
}
