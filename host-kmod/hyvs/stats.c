// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: "rdma statistic show".
 */
#include <linux/jiffies.h>
#include <rdma/ib_verbs.h>

#include "gsi/gsi.h"
#include "hyvs/hyvs.h"

#define FIRST_OF_GSI	(HYVS_STATS + ENG_STATS)
#define ALL_STATS	(FIRST_OF_GSI + GSI_COUNTERS)

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

int hyvs_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
		   int index)
{
	struct hyvs_device *dev = to_hyvs_device(ib);
	unsigned int i;

	if (!port)
		return -EOPNOTSUPP;
	for (i = 0; i < HYVS_STATS; i++)
		stats->value[i] = atomic64_read(&dev->stats[i]);
	eng_stats(dev->eng, &stats->value[HYVS_STATS]);
	gsi_read_counters(&dev->gsi_port, &stats->value[FIRST_OF_GSI]);
	return ALL_STATS;
}
